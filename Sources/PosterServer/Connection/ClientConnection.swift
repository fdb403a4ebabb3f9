import Glibc
import Synchronization

/// One client's connection, as the watchdog sees it: a socket and the moment at which it must
/// have got further.
///
/// The library's own time-out counts idle time only, so that one byte a second holds a
/// connection for ever; these deadlines are absolute.
final class ClientConnection: Sendable {
    /// What the connection is doing.
    enum Phase: UInt8, CaseIterable, Sendable {
        /// Between two requests; nothing of the next has come.
        case idle
        /// A request's head is on its way.
        case head
        /// The answer is being made. The store has deadlines of its own.
        case working
        /// The answer is on its way.
        case sending
    }

    /// How long each phase may last.
    struct Limits: Sendable {
        /// Between two requests.
        var idle: Duration = .seconds(60)
        /// From the first byte of a head, or from the connection's begin, to the head's end.
        var head: Duration = .seconds(10)
        /// From the first byte of an answer to its last.
        var answer: Duration = .seconds(60)
    }

    /// Where it comes from.
    let address: ClientAddress?
    /// The library's socket. Open as long as the connection is in its ``ConnectionTable``.
    let socket: Int32
    private let limits: Limits
    /// The phase in the lowest two bits, above them the phase's begin in milliseconds.
    private let state: Atomic<Int64>

    init(socket: Int32, from address: ClientAddress?, limits: Limits) {
        self.socket = socket
        self.address = address
        self.limits = limits
        state = Atomic(Self.pack(.head, milliseconds()))
    }

    /// Goes on to a phase. The head of a connection's first request began with the connection.
    func enter(_ phase: Phase) { enter(phase, at: milliseconds()) }

    /// As ``enter(_:)``, at a moment of ``milliseconds()`` that the caller has read.
    func enter(_ phase: Phase, at moment: Int64) {
        if phase == .head, self.phase == .head { return }
        state.store(Self.pack(phase, moment), ordering: .relaxed)
    }

    /// What it is doing now.
    var phase: Phase { Phase(rawValue: UInt8(state.load(ordering: .relaxed) & 3)) ?? .idle }

    /// Whether its phase has lasted too long. On the watchdog's thread, which calls this now and
    /// then: that is also when the first byte of a next request is noticed.
    func isOverdue(now: Int64) -> Bool {
        let before = state.load(ordering: .relaxed)
        let (phase, began) = (Phase(rawValue: UInt8(before & 3)) ?? .idle, before >> 2)
        switch phase {
        case .working: return false
        case .sending: return now - began > limits.answer.inMilliseconds
        case .head: return now - began > limits.head.inMilliseconds
        case .idle:
            if let received = lastReceived, received > began + Self.clockTick {
                _ = state.compareExchange(
                    expected: before, desired: Self.pack(.head, received), ordering: .relaxed)
                return false
            }
            return now - began > limits.idle.inMilliseconds
        }
    }

    /// Makes the library close it: both directions end now. From then on it is not overdue, so
    /// that it is counted once however late the library comes to it.
    func shutDown() {
        enter(.working)
        _ = Glibc.shutdown(socket, Int32(SHUT_RDWR))
    }

    /// The coarse clock's step, and the kernel's.
    private static let clockTick: Int64 = 20

    /// When the last byte came, from the kernel's own record (tcp(7), `TCP_INFO`).
    private var lastReceived: Int64? {
        var (info, size) = (tcp_info(), socklen_t(MemoryLayout<tcp_info>.size))
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
            return nil
        }
        return milliseconds() - Int64(info.tcpi_last_data_recv)
    }

    private static func pack(_ phase: Phase, _ began: Int64) -> Int64 {
        began << 2 | Int64(phase.rawValue)
    }
}

/// Milliseconds of the monotonic clock, coarse: a few of them late, and cheap to read.
func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

extension Duration {
    /// Whole milliseconds, cut off.
    var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
