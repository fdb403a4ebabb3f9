import Synchronization

/// Takes the answer to one request, from any thread.
///
/// Where the handler answers before it returns, no other thread is involved and no lock is taken.
/// Otherwise the serving thread suspends the exchange and goes on with other connections; the
/// answer then comes back through its ``Mailbox``.
package final class Responder: Sendable {
    private enum State {
        static let waiting: UInt8 = 0
        static let suspended: UInt8 = 1
        static let answered: UInt8 = 2
    }

    private let state = Atomic<UInt8>(State.waiting)
    private let isClaimed = Atomic<Bool>(false)
    /// Written once, by the thread that has the claim, before the state becomes `answered`; read
    /// only after that.
    private nonisolated(unsafe) var response: Response?
    private let mailbox: Mailbox
    private let connection: UInt64

    /// `connection` is the number by which the thread behind `mailbox` finds the connection.
    init(for connection: UInt64, _ mailbox: Mailbox) {
        self.connection = connection
        self.mailbox = mailbox
    }

    /// Takes the answer. Only the first one counts.
    package func respond(_ response: Response) {
        guard !isClaimed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.response = response
        let before = state.exchange(State.answered, ordering: .acquiringAndReleasing)
        if before == State.suspended { mailbox.post(connection) }
    }

    /// The answer, if it is there; else it will be posted to the mailbox. On the serving thread.
    func responseOrSuspend() -> Response? {
        let (isSuspended, before) = state.compareExchange(
            expected: State.waiting, desired: State.suspended, ordering: .acquiringAndReleasing)
        return isSuspended || before == State.suspended ? nil : response
    }
}
