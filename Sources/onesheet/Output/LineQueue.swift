import Glibc
import PosterBase

/// Lines on their way to a file, a pipe or a terminal. A thread of its own writes them, so that a
/// reader that has stopped, or a disk, holds up no request: what does not fit into the queue is
/// lost, and counted.
final class LineQueue: Sendable {
    private struct State {
        /// Where the lines go.
        var file: Int32
        /// Lines with their newlines.
        var waiting: [UInt8] = []
        /// How many lines did not fit since the last one that did.
        var lost = 0
        /// What lines are being written to.
        var writing: Int32?
        var isClosed = false
    }

    private let state: Monitor<State>
    private let capacity: Int

    /// Bytes that wait at most: some 5,000 requests.
    static let usualCapacity = 1 << 20
    /// What one write(2) takes: a pipe has so much from one process without another's between
    /// (pipe(7), PIPE_BUF), unless a line alone is longer.
    private static let pieceBytes = 4096

    /// Starts the thread. `file` is the queue's to close, but for standard error. `onLoss` is told,
    /// by that thread, how many lines were lost once lines are written again.
    init(
        _ file: Int32, capacity: Int = usualCapacity,
        onLoss: @escaping @Sendable (Int) -> Void
    ) {
        state = Monitor(State(file: file))
        self.capacity = capacity
        _ = PosixThread(name: "log") { [state] in
            while let (file, lines, lost) = Self.next(in: state) {
                if lost > 0 { onLoss(lost) }
                Self.write(lines, to: file)
                let isReplaced = state.withLock { $0.file != file }
                if isReplaced { Self.close(file) }
            }
            Self.close(state.withLock { $0.file })
        }
    }

    deinit { close() }

    /// Closes the file once all lines are written. Does not block.
    func close() {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
    }

    /// Adds a line. Does not block.
    func append(_ line: String) {
        let isFirst = state.withLock { state in
            guard state.waiting.count + line.utf8.count < capacity else {
                state.lost += 1
                return false
            }
            let isFirst = state.waiting.isEmpty
            state.waiting.append(contentsOf: line.utf8)
            state.waiting.append(UInt8(ascii: "\n"))
            return isFirst
        }
        if isFirst { state.notifyAll() }
    }

    /// Has the lines that are not being written yet go to another file.
    func replace(with file: Int32) {
        // What is being written must not lose its file: then its thread closes it.
        let old = state.withLock { state -> Int32? in
            defer { state.file = file }
            return state.writing == state.file ? nil : state.file
        }
        if let old { Self.close(old) }
    }

    /// Waits until all lines are written, for so long at most. Blocks.
    func finish(within limit: Duration) {
        _ = state.wait(until: .now + limit) { $0.waiting.isEmpty && $0.writing == nil ? () : nil }
    }

    /// What is to be written next; `nil` once the queue is closed and empty.
    private static func next(
        in state: Monitor<State>
    ) -> (file: Int32, lines: [UInt8], lost: Int)? {
        state.withLock { $0.writing = nil }
        state.notifyAll()
        return state.wait { state -> (file: Int32, lines: [UInt8], lost: Int)?? in
            guard !state.waiting.isEmpty else { return state.isClosed ? .some(nil) : nil }
            defer {
                state.waiting.removeAll(keepingCapacity: state.waiting.count < 1 << 16)
                (state.lost, state.writing) = (0, state.file)
            }
            return (state.file, state.waiting, state.lost)
        }
    }

    /// Writes whole lines, as many at once as fit in a piece. A full disk loses lines and nothing
    /// else.
    private static func write(_ lines: [UInt8], to file: Int32) {
        var rest = lines[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceBytes)
            let newline = UInt8(ascii: "\n")
            let end =
                piece.lastIndex(of: newline) ?? rest.firstIndex(of: newline) ?? rest.endIndex - 1
            do throws(SystemError) { try writeAll(Array(rest[...end]), to: file) } catch {}
            rest = rest[(end + 1)...]
        }
    }

    private static func close(_ file: Int32) {
        if file != STDERR_FILENO { Glibc.close(file) }
    }
}
