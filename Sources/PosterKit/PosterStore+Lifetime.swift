public import PosterBase
package import PosterCache

extension PosterStore {
    /// Why it serves less than it should, for a readiness probe; empty when all is well.
    public func healthIssues() -> [HealthIssue] {
        var issues: [HealthIssue] = []
        if let healthIssue = disk.healthIssue { issues.append(healthIssue) }
        if let left = governor.pauseLeft {
            let pause = "the image host is not asked for \(left.wholeSeconds) s more"
            issues.append(
                HealthIssue(.upstreamBackingOff, "\(pause), because of \(governor.pauseCause.text)")
            )
        }
        if let healthIssue = shared?.healthIssue { issues.append(healthIssue) }
        // What a stranger asks for without end may fill its own queues at any time.
        let pictures = pixels.load(of: .live).waiting
        if pictures >= pixels.capacity {
            issues.append(HealthIssue(.decodeQueueFull, "\(pictures) pictures wait"))
        }
        let fetches = transfers.load(of: .live).waiting
        if fetches >= transfers.capacity {
            issues.append(HealthIssue(.fetchQueueFull, "\(fetches) fetches wait"))
        }
        return issues
    }

    /// How much the threads have to do, for metrics.
    public var load: Load {
        Load(
            fetchesWaiting: transfers.load.waiting, fetchesRunning: transfers.load.running,
            picturesWaiting: pixels.load.waiting, picturesRunning: pixels.load.running,
            writesWaiting: diskWriters.load.waiting, writesRunning: diskWriters.load.running,
            queueLength: configuration.queueLength,
            fetchClasses: JobClass.allCases.map { Load.Class($0, transfers.load(of: $0)) },
            pictureClasses: JobClass.allCases.map { Load.Class($0, pixels.load(of: $0)) },
            memoryEntries: memory.load.values, memoryBytes: memory.load.bytes,
            backOffSeconds: governor.pauseLeft?.wholeSeconds ?? 0,
            store: shared.map { Load.Store($0) })
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
        /// Thumbnails that have been answered with and wait to be written.
        public let writesWaiting: Int
        /// Such thumbnails being written.
        public let writesRunning: Int
        /// How many may wait of each class, or less.
        public let queueLength: Int
        /// The fetches by their classes.
        public let fetchClasses: [Class]
        /// The pictures by their classes.
        public let pictureClasses: [Class]
        /// Pictures in the memory tier.
        public let memoryEntries: Int
        /// Their bytes.
        public let memoryBytes: Int
        /// For how long the image host is not asked any more; 0 when it may be.
        public let backOffSeconds: Int
        /// The shared store's part; `nil` where there is none.
        public let store: Store?

        /// The jobs of a class.
        public struct Class: Sendable {
            /// The class.
            package let jobClass: JobClass
            /// Those that wait.
            public let waiting: Int
            /// Those under way.
            public let running: Int
            /// Those that were refused since the start, because too many waited.
            public let refused: Int

            init<Job>(_ jobClass: JobClass, _ load: JobQueue<Job>.Load) {
                self.jobClass = jobClass
                (waiting, running, refused) = (load.waiting, load.running, load.refused)
            }
        }

        /// What the shared store has to do.
        public struct Store: Sendable {
            /// Objects to be written, those under way included.
            public let waiting: Int
            /// Their bytes.
            public let waitingBytes: Int
            /// For how long it is not asked any more; 0 when it may be.
            public let pauseSeconds: Int

            init(_ store: any SharedStore) { (waiting, waitingBytes, pauseSeconds) = store.load }
        }
    }

    /// What the cache held when it was last counted, at most ten minutes before the last call of
    /// this; `nil` until it has been counted once. Does not block: a count that is due runs on a
    /// thread of its own, beside everything else.
    package func holdings() -> CacheCensus.Count? { census.latest() }

    /// Waits until the shared store has what upstream gave, for so long at most. Returns whether
    /// it has; at once where there is no such store. Blocks.
    @discardableResult
    public func finishSharing(within limit: Duration) -> Bool {
        shared?.finishWrites(by: .now + limit) ?? true
    }

    /// Begins no more work, and drops what waits: its requests get what stands in. What is under
    /// way goes on, and what is cached is served. Does not block.
    public func drain() {
        draining.raise()
        governor.close()
    }

    /// Breaks off the fetches that are under way, too, within a second. Does not block.
    public func abort() {
        drain()
        stop.raise()
    }

    /// Breaks off the fetches, within a second, and ends the threads. Blocks, also for what is to
    /// be written to the shared store, as long as the settings say. What is stored stays
    /// whole; requests after this are answered `.busy`.
    public func close() {
        endThreads()
        shared?.close()
    }

    /// Breaks off what is under way and ends the threads. A store that is let go of has nothing
    /// under way, because its jobs hold it.
    func endThreads() {
        abort()
        door.close()
        transfers.stop()
        pixels.stop()
        diskWriters.stop()
        deadlines.stop()
        census.stop()
    }

    /// Answers a request, for callers that are async already: nothing blocks the caller's actor.
    /// Throws when the task is cancelled before the answer is there; the work goes on and fills the
    /// cache.
    public func answer(
        _ request: PosterRequest, by deadline: ContinuousClock.Instant? = nil
    ) async throws(CancellationError) -> Answer {
        try await door.reply { self.answer(request, by: deadline, $0) }
    }
}
