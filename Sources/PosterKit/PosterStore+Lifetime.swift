extension PosterStore {
    /// Why it serves less than it should, for a readiness probe; empty when all is well.
    public func troubles() -> [Trouble] {
        var troubles: [Trouble] = []
        if let trouble = disk.trouble { troubles.append(trouble) }
        if let left = governor.pauseLeft {
            let pause = "the image host is not asked for \(left.wholeSeconds) s more"
            troubles.append(
                Trouble(.upstreamBackingOff, "\(pause), because of \(governor.pauseCause.text)"))
        }
        let pixelLoad = pixels.load
        if pixelLoad.waiting >= pixelLoad.capacity {
            troubles.append(Trouble(.decodeQueueFull, "\(pixelLoad.waiting) pictures wait"))
        }
        let waiting = transfers.load.waiting
        if waiting >= transfers.capacity {
            troubles.append(Trouble(.fetchQueueFull, "\(waiting) fetches wait"))
        }
        return troubles
    }

    /// How much the threads have to do, for metrics.
    public var load: Load {
        Load(
            fetchesWaiting: transfers.load.waiting, fetchesRunning: transfers.load.running,
            picturesWaiting: pixels.load.waiting, picturesRunning: pixels.load.running,
            queueLength: configuration.queueLength,
            memoryEntries: memory.load.values, memoryBytes: memory.load.bytes,
            backOffSeconds: governor.pauseLeft?.wholeSeconds ?? 0)
    }

    /// Jobs that wait and run, and what is held.
    public struct Load: Sendable {
        /// Fetches that wait for a transfer thread.
        public let fetchesWaiting: Int
        /// Fetches under way.
        public let fetchesRunning: Int
        /// Pictures that wait for a pixel thread.
        public let picturesWaiting: Int
        /// Pictures being decoded, drawn or encoded.
        public let picturesRunning: Int
        /// How many may wait of each, per priority.
        public let queueLength: Int
        /// Pictures in the memory tier.
        public let memoryEntries: Int
        /// Their bytes.
        public let memoryBytes: Int
        /// For how long the image host is not asked any more; 0 when it may be.
        public let backOffSeconds: Int
    }

    /// What the cache held when it was last counted, at most ten minutes before the last call of
    /// this; `nil` until it has been counted once. Does not block: a count that is due runs on a
    /// thread of its own, beside everything else.
    public func holdings() -> CacheCensus.Count? { census.latest() }

    /// Breaks off the fetches, within a second, and ends the threads. Blocks. What is stored stays
    /// whole; wishes after this are answered `.busy`.
    public func close() {
        stop.raise()
        transfers.stop()
        pixels.stop()
        deadlines.stop()
        census.stop()
    }

    /// Answers a wish, for callers that are async already.
    public func answer(_ wish: Wish, by deadline: ContinuousClock.Instant? = nil) async -> Answer {
        await reply { answer(wish, by: deadline, $0) }
    }
}
