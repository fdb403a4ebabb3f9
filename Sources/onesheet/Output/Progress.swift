import Glibc
import PosterBase

/// Tells on standard error how a long job gets on: a bar on a terminal, a line every few seconds
/// elsewhere, or nothing. May be used from several threads.
final class Progress: Sendable {
    /// In which way it is told.
    enum Style: Sendable, Equatable {
        /// One line that is drawn again and again.
        case bar(isUnicode: Bool)
        /// Lines that stay.
        case lines
        case silent
    }

    private struct State {
        var line: ProgressLine
        var pace = ProgressRate()
        var lastShown: ContinuousClock.Instant
        var isDrawn = false
    }

    private let style: Style
    private let state: Monitor<State>

    /// A bar is not drawn more often than this: it would cost more than it tells.
    static let barInterval = Duration.milliseconds(100)
    static let lineInterval = Duration.seconds(5)
    private static let eraseLine = "\r\u{1B}[K"

    /// Begins to tell of a job. `label` says what it does.
    init(_ label: String, style: Style, now: ContinuousClock.Instant = .now) {
        self.style = style
        var state = State(line: ProgressLine(label: label), lastShown: now)
        state.pace.note(done: 0, bytes: 0, at: now)
        self.state = Monitor(state)
    }

    /// The style that fits: none where `arguments` want silence or JSON.
    static func style(for arguments: Arguments) -> Style {
        guard !arguments.has(SharedOptions.quiet), !arguments.has(SharedOptions.json) else {
            return .silent
        }
        let environment = arguments.environment
        guard isatty(STDERR_FILENO) == 1, environment["TERM"] != "dumb" else { return .lines }
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
        let characters = locale.uppercased()
        return .bar(isUnicode: characters.contains("UTF-8") || characters.contains("UTF8"))
    }

    /// Sets how many items there are in all.
    func setTotal(_ total: Int) { state.withLock { $0.line.total = total } }

    /// Sets what is done, and shows it when it is time to.
    func update(done: Int, bytes: Int, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            (state.line.done, state.line.bytes) = (done, bytes)
            show(&state, now)
        }
    }

    /// Adds one item, and shows it when it is time to.
    func advance(bytes: Int, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            state.line.done += 1
            state.line.bytes += bytes
            show(&state, now)
        }
    }

    /// Prints a line of its own to standard error, above the bar. Also what is silent prints it.
    func tellAbove(_ text: String) {
        state.withLock { state in
            erase(&state)
            tell(text)
        }
    }

    /// Takes the bar away. Nothing is shown afterwards until the next change.
    func end() { state.withLock { erase(&$0) } }

    private func show(_ state: inout State, _ now: ContinuousClock.Instant) {
        state.pace.note(done: state.line.done, bytes: state.line.bytes, at: now)
        let interval = style == .lines ? Self.lineInterval : Self.barInterval
        guard style != .silent, now - state.lastShown >= interval else { return }
        state.lastShown = now
        if let pace = state.pace.perSecond {
            state.line.bytesPerSecond = pace.bytes
            let left = Double(max(0, state.line.total - state.line.done))
            state.line.secondsLeft =
                pace.items > 0 && state.line.total > 0 ? left / pace.items : nil
        }
        guard case .bar(let isUnicode) = style else { return tell(state.line.plain) }
        // The last column is left free: some terminals wrap as soon as it is written.
        let columns = (terminalColumns(STDERR_FILENO) ?? 80) - 1
        print(Self.eraseLine + state.line.bar(columns: columns, isUnicode: isUnicode))
        state.isDrawn = true
    }

    private func erase(_ state: inout State) {
        guard state.isDrawn else { return }
        print(Self.eraseLine)
        state.isDrawn = false
    }

    private func print(_ text: String) {
        do throws(SystemError) { try writeAll(Array(text.utf8), to: STDERR_FILENO) } catch {}
    }
}

extension Progress {
    /// A log for the stages below: warnings and errors above the bar; errors alone where
    /// `isQuiet`.
    func log(isQuiet: Bool) -> Log {
        Log { level, line in
            switch level {
            case .info: break
            case .warn: if !isQuiet { self.tellAbove(line) }
            case .error: self.tellAbove(line)
            }
        }
    }
}
