import Synchronization

/// What a connection is doing.
package enum ConnectionPhase: Int, CaseIterable, Sendable {
    /// Between two requests; nothing of the next has come.
    case idle
    /// A request's head is on its way.
    case head
    /// The answer is being made. The handler has deadlines of its own.
    case working
    /// The answer is on its way.
    case sending
    /// The last answer is out, and the client has not yet taken it all or ended its side.
    case closing
}

/// How long each phase may last.
package struct ConnectionDeadlines: Sendable {
    /// Between two requests.
    var idle: Duration
    /// From the first byte of a head, or from the connection's begin, to the head's end.
    var head: Duration
    /// From the first byte of an answer to its last, and to the client's receipt where the
    /// connection ends with it.
    var answer: Duration

    package init(
        idle: Duration = .seconds(60), head: Duration = .seconds(10),
        answer: Duration = .seconds(60)
    ) {
        (self.idle, self.head, self.answer) = (idle, head, answer)
    }
}

/// How many connections of one serving thread are in each phase. The thread writes, any thread
/// reads.
final class PhaseCounts: Sendable {
    private let idle = Atomic<Int>(0)
    private let head = Atomic<Int>(0)
    private let working = Atomic<Int>(0)
    private let sending = Atomic<Int>(0)
    private let closing = Atomic<Int>(0)

    subscript(phase: ConnectionPhase) -> Int {
        switch phase {
        case .idle: idle.load(ordering: .relaxed)
        case .head: head.load(ordering: .relaxed)
        case .working: working.load(ordering: .relaxed)
        case .sending: sending.load(ordering: .relaxed)
        case .closing: closing.load(ordering: .relaxed)
        }
    }

    /// Adds to a count. On the serving thread, which alone writes, so that a load and a store do.
    func add(_ amount: Int, to phase: ConnectionPhase) {
        func add(_ count: borrowing Atomic<Int>) {
            count.store(count.load(ordering: .relaxed) + amount, ordering: .relaxed)
        }
        switch phase {
        case .idle: add(idle)
        case .head: add(head)
        case .working: add(working)
        case .sending: add(sending)
        case .closing: add(closing)
        }
    }
}
