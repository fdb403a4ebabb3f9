import Glibc

/// A value behind a lock, with a condition to wait on.
///
/// The one lock of the package, on POSIX threads: Thread Sanitizer on Linux reports races that
/// are none for `Synchronization.Mutex`. Nothing slow may run inside `withLock`.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// Guards `value`.
    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Waiting must not end early or late because the wall clock was set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone with the value.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits until `body` gives something other than `nil`, and returns that. Blocks.
    ///
    /// `body` runs under the lock, at once and after every ``notifyAll()``.
    package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits as ``wait(for:)`` does, until `deadline` at the latest; then `nil`. Blocks.
    package func wait<Result>(
        until deadline: ContinuousClock.Instant, for body: (inout Value) -> Result?
    ) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return nil }
            var moment = Self.monotonic(after: left)
            pthread_cond_timedwait(condition, mutex, &moment)
        }
    }

    /// Wakes every thread that waits, to look again.
    package func notifyAll() { pthread_cond_broadcast(condition) }

    private static func monotonic(after left: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // A day at most, so that a far deadline cannot overflow the sum.
        let (seconds, attoseconds) = min(left, .seconds(86_400)).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
