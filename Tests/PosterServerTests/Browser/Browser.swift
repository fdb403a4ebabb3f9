import Foundation
import Glibc
import TestSupport

/// Debian's Chromium without a window, driven by the DevTools protocol over two pipes: the browser
/// reads commands from its descriptor 3 and writes answers and events to 4, each ended by a zero.
///
/// One command at a time: a call sends, then reads until its answer is there, keeping the events
/// that come in between. All its tests share one, which takes turns: see ``SharedBrowser``.
final class Browser: @unchecked Sendable {
    /// Where the program is; `nil` when it is not installed.
    static let program: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        (path: String) in access(path, X_OK) == 0
    }

    /// The longest that an answer or an awaited state may be away.
    private static let limit = Duration.seconds(60)

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An event of a page.
    struct Event {
        /// Of the page that it happened in.
        let session: String
        let method: String
        let parameters: [String: Any]
    }

    private let process: pid_t
    private let toBrowser: Int32
    private let fromBrowser: Int32
    private let profile = TemporaryDirectory()
    private var lastCommand = 0
    private var unread: [UInt8] = []
    /// What happened in pages since the last ``takeEvents(of:)`` of each, in order.
    private var events: [Event] = []

    /// Starts the program with a profile of its own.
    init() throws {
        guard let program = Self.program else { throw Failure(description: "no Chromium") }
        let arguments = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--remote-debugging-pipe",
            "--user-data-dir=\(profile.path)", "about:blank",
        ]
        (process, toBrowser, fromBrowser) = try Self.spawn(arguments)
    }

    deinit {
        close(toBrowser)
        close(fromBrowser)
        // It ends by itself when its pipe is closed; the profile can go only after that.
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Runs a command and returns its result.
    @discardableResult
    func call(
        _ method: String, _ parameters: [String: Any] = [:], session: String? = nil
    ) throws -> [String: Any] {
        lastCommand += 1
        var message: [String: Any] = ["id": lastCommand, "method": method, "params": parameters]
        message["sessionId"] = session
        try write(JSONSerialization.data(withJSONObject: message))
        let deadline = ContinuousClock.now + Self.limit
        while true {
            let answer = try read(until: deadline)
            guard answer["id"] as? Int == lastCommand else { continue }
            if let error = answer["error"] as? [String: Any] {
                throw Failure(description: "\(method): \(error["message"] ?? "")")
            }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    /// Reads events until `condition` gives a value. Throws when nothing does in time.
    @discardableResult
    func wait<Value>(for what: String, _ condition: () throws -> Value?) throws -> Value {
        let deadline = ContinuousClock.now + Self.limit
        while ContinuousClock.now < deadline {
            if let value = try condition() { return value }
        }
        throw Failure(description: "waited in vain for \(what)")
    }

    /// The events of one page since the last time.
    func takeEvents(of session: String) -> [Event] {
        defer { events.removeAll { $0.session == session } }
        return events.filter { $0.session == session }
    }

    private func read(until deadline: ContinuousClock.Instant) throws -> [String: Any] {
        while true {
            if let end = unread.firstIndex(of: 0) {
                let text = Data(unread[..<end])
                unread.removeFirst(end + 1)
                let message = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
                if let method = message["method"] as? String,
                    let session = message["sessionId"] as? String
                {
                    events.append(
                        Event(
                            session: session, method: method,
                            parameters: message["params"] as? [String: Any] ?? [:]))
                }
                return message
            }
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            var waiting = pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(left / .milliseconds(1))) > 0 else {
                throw Failure(description: "Chromium gives no answer")
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(fromBrowser, &buffer, buffer.count)
            guard count > 0 else { throw Failure(description: "Chromium has ended") }
            unread += buffer.prefix(count)
        }
    }

    private func write(_ text: Data) throws {
        var rest = [UInt8](text) + [0]
        while !rest.isEmpty {
            let count = Glibc.write(toBrowser, rest, rest.count)
            guard count > 0 else { throw Failure(description: "Chromium takes no command") }
            rest.removeFirst(count)
        }
    }

    private static func spawn(_ arguments: [String]) throws -> (pid_t, Int32, Int32) {
        var (down, up) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
        guard pipe(&down) == 0, pipe(&up) == 0 else { throw Failure(description: "no pipe") }
        for descriptor in [down[1], up[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // Away from 3 and 4, which the child's own ends take.
        let (input, output) = (
            fcntl(down[0], F_DUPFD_CLOEXEC, 64), fcntl(up[1], F_DUPFD_CLOEXEC, 64)
        )
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input, 3)
        posix_spawn_file_actions_adddup2(&actions, output, 4)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for descriptor in [down[0], up[1], input, output] { close(descriptor) }
        }
        var process = pid_t()
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        guard posix_spawn(&process, arguments[0], &actions, nil, words, environ) == 0 else {
            throw Failure(description: "\(arguments[0]) does not start")
        }
        return (process, down[1], up[0])
    }
}
