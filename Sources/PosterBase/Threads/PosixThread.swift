import Glibc

/// A POSIX thread. Blocking code runs on these: the language's own threads are few and must
/// never wait.
package final class PosixThread: Sendable {
    private let thread: pthread_t
    private let isJoined = Monitor(false)

    /// Starts a thread named `name` (15 bytes at most, as `/proc` shows them) that runs `body`.
    /// Signals are left to other threads. Ends the process when the system has none to give: for
    /// threads without which it could do nothing at all.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        do { thread = try Self.start(name, body) } catch {
            fatalError("cannot start a thread: \(String(cString: strerror(error.status)))")
        }
    }

    /// As ``init(name:_:)``, for a thread that can be done without: `nil` when there is none.
    package init?(orNone name: String, _ body: @escaping @Sendable () -> Void) {
        do { thread = try Self.start(name, body) } catch { return nil }
    }

    private struct StartError: Error {
        let status: Int32
    }

    private static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(StartError) -> pthread_t {
        var (everySignal, before) = (sigset_t(), sigset_t())
        sigfillset(&everySignal)
        pthread_sigmask(SIG_SETMASK, &everySignal, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let task = Unmanaged.passRetained(Task(name, body))
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let task = Unmanaged<Task>.fromOpaque(argument).takeRetainedValue()
                nameThisThread(task.name)
                task.body()
                return nil
            }, task.toOpaque())
        guard status == 0 else {
            task.release()
            throw StartError(status: status)
        }
        return thread
    }

    /// Has the kernel prefer every other thread to the one that calls this, from now on.
    static func yieldToOthers() {
        // A thread's own niceness, against POSIX: setpriority(2). 0 is who calls.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    }

    /// Waits until its body has returned. Blocks. Later calls do nothing. From itself it does not
    /// wait: the last who holds what a thread works for may be one of the thread's own jobs.
    package func join() {
        guard takesJoin() else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    // What the system keeps for a thread that nothing will wait for goes with the thread.
    deinit { if takesJoin() { pthread_detach(thread) } }

    private func takesJoin() -> Bool {
        isJoined.withLock { isJoined in
            defer { isJoined = true }
            return !isJoined
        }
    }

    private final class Task {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

/// glibc hides `pthread_setname_np` from Swift; the kernel takes the name as a file, too.
private func nameThisThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = write(file, name, name.utf8.count)
}
