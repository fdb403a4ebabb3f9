import Glibc
package import PosterBase

/// Counts what the cache holds, now and then, on a thread that gets only processor time that no
/// other wants.
///
/// Nothing is counted before the first request for the count, so a start costs nothing however
/// large the cache is; and however often it is asked for, the files are looked at once in ten
/// minutes.
package final class CacheCensus: Sendable {
    /// What the cache held.
    package struct Count: Sendable, Equatable {
        /// Files and their bytes, seals included.
        package struct Holding: Sendable, Equatable {
            /// Files.
            package var entries = 0
            /// Their bytes.
            package var bytes = 0
        }

        /// Whole posters.
        package internal(set) var posters = Holding()
        /// Thumbnails.
        package internal(set) var thumbnails = Holding()
        /// Answers of the list API.
        package internal(set) var lists = Holding()
        /// Files being written, or left by a crash.
        package internal(set) var temporary = Holding()
        /// When the count was done.
        package internal(set) var taken: Timestamp
    }

    private struct State {
        var last: Count?
        var due: ContinuousClock.Instant?
        var thread: PosixThread?
        var isStopped = false
    }

    /// How old a count may be when the next one starts.
    private static let interval = Duration.seconds(600)

    /// `SCHED_IDLE` (sched(7)), which glibc hides from Swift.
    private static let idlePolicy: Int32 = 5

    private let directory: String
    private let filesBetweenRests: Int
    private let rest: Duration
    private let state = Monitor(State())

    /// After every `filesBetweenRests` files the count rests for `rest`: a million files take a
    /// quarter of a minute.
    package init(
        directory: String, filesBetweenRests: Int = 1000, rest: Duration = .milliseconds(10)
    ) {
        self.directory = directory
        self.filesBetweenRests = filesBetweenRests
        self.rest = rest
    }

    /// The last count. Starts the next where that is old. Does not block.
    package func latest(now: ContinuousClock.Instant = .now) -> Count? {
        state.withLock { state in
            if !state.isStopped, state.due.map({ $0 <= now }) ?? true {
                state.due = now + Self.interval
                // The one before has long ended; its thread is joined without a wait.
                let before = state.thread
                state.thread =
                    PosixThread(orNone: "census") {
                        before?.join()
                        self.count()
                    } ?? before
            }
            return state.last
        }
    }

    /// Ends a count under way, and counts no more. Blocks for a moment.
    package func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            return state.thread
        }
        state.notifyAll()
        thread?.join()
    }

    /// Waits for the count under way. Blocks.
    func waitForCount() { state.withLock { $0.thread }?.join() }

    private func count() {
        var priority = sched_param()
        sched_setscheduler(0, Self.idlePolicy, &priority)
        do throws(Prune.Refusal) {
            var walk = CacheWalk(try Prune.openCache(directory))
            var (count, files) = (Count(taken: .now()), 0)
            walk.run(isEnded: { self.state.withLock { $0.isStopped } }) { item in
                count.add(item)
                files += 1
                if files.isMultiple(of: filesBetweenRests) {
                    _ = self.state.wait(until: .now + self.rest) { $0.isStopped ? true : nil }
                }
            }
            count.taken = .now()
            let done = count
            state.withLock { if !$0.isStopped { $0.last = done } }
        } catch {
            // A cache that cannot be read is reported by the code that reads it for a client.
            return
        }
    }
}

extension CacheCensus.Count {
    fileprivate mutating func add(_ item: CacheWalk.Item) {
        switch item.role {
        case .entry(.posters): posters.add(item.status.size)
        case .entry(.thumbs): thumbnails.add(item.status.size)
        case .list: lists.add(item.status.size)
        case .temporary: temporary.add(item.status.size)
        }
    }
}

extension CacheCensus.Count.Holding {
    fileprivate mutating func add(_ size: Int) {
        entries += 1
        bytes += size
    }
}
