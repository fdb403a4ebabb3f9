import CMicrohttpd
import Glibc
import PosterKit
import Synchronization

/// One request and its answer, from the first line to the last byte.
///
/// Belongs to the library's thread; only ``deliver(_:)`` may come from another. The library
/// calls the handler once when the head is read, once when the request is whole, and once more
/// when a suspended connection goes on.
final class Exchange: Sendable {
    private enum Step {
        /// The target is known, nothing else.
        case targetRead
        /// The head is read and in order.
        case headRead
        /// The service has been asked.
        case asked
    }

    private enum Delivery {
        static let waited: UInt8 = 0
        static let delivered: UInt8 = 1
        static let suspended: UInt8 = 2
    }

    /// The connection that it came on.
    let client: ClientConnection
    /// The request target as sent.
    private let target: String
    private let thread: ServingThread
    /// In the library's memory, as long as the request is.
    private nonisolated(unsafe) let place: UnsafePointer<CChar>
    private nonisolated(unsafe) let raw: RawHead?
    /// By what the answer may be kept; `nil` where it depends on more than the target.
    private nonisolated(unsafe) var keptTarget: String?
    private nonisolated(unsafe) var step = Step.targetRead
    private nonisolated(unsafe) var head = RequestHead()
    private nonisolated(unsafe) var reply: Reply?
    private nonisolated(unsafe) var kept: KeptReplies.Kept?
    private nonisolated(unsafe) var handle: OpaquePointer?
    private let isClaimed = Atomic<Bool>(false)
    private let delivery = Atomic<UInt8>(Delivery.waited)
    /// Where it led, for metrics.
    private(set) nonisolated(unsafe) var route = RequestMetrics.RouteName.none
    /// The status and length that were answered; 0 as long as nothing was.
    private(set) nonisolated(unsafe) var answered = (status: 0, length: 0)

    init(
        _ client: ClientConnection, on thread: ServingThread, target: UnsafePointer<CChar>,
        _ raw: RawHead?
    ) {
        self.client = client
        self.thread = thread
        self.target = String(cString: target)
        place = target
        self.raw = raw
    }

    /// The request's method as sent; what it was before it is read does not matter.
    var method: String { head.method }

    /// Does the next step. The result is for the library: `.NO` closes the connection.
    func advance(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        in daemon: Daemon
    ) -> MHD_Result {
        switch step {
        case .targetRead:
            client.enter(.working)
            let head = HeadReader.read(
                connection, method: method, version: version, target: place)
            self.head = head
            guard daemon.hasRoom(for: head) else { return refuseHead(in: daemon) }
            if let refusal = head.refusal(allowed: daemon.service.methods) {
                return refuse(refusal, on: connection, in: daemon)
            }
            if head.isUnconditional, !daemon.isStopping {
                let key = Service.keptTarget(target, head)
                keptTarget = key
                kept = thread.kept.reply(to: key, now: milliseconds())
            }
            if kept == nil, let refusal = daemon.service.refusal(target, head) {
                return refuse(refusal, on: connection, in: daemon)
            }
            step = .headRead
            return .YES
        case .headRead:
            if let kept { return queue(kept, on: connection, in: daemon) }
            step = .asked
            route = daemon.service.answer(target, head) { self.deliver($0) }
            if delivery.load(ordering: .acquiring) == Delivery.delivered { break }
            suspend(connection, in: daemon)
            return .YES
        case .asked: break
        }
        guard let reply else { return .NO }
        return queue(reply, on: connection, in: daemon)
    }

    /// Takes the answer, from any thread. Only the first one counts.
    func deliver(_ reply: Reply) {
        guard !isClaimed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.reply = reply
        if delivery.exchange(Delivery.delivered, ordering: .acquiringAndReleasing)
            == Delivery.suspended, let handle
        {
            MHD_resume_connection(handle)
        }
    }

    /// Whether its connection was set aside.
    var wasSuspended: Bool { handle != nil }

    /// Sets the connection aside, unless the answer has come meanwhile. The library resumes it
    /// on this same thread, so never before the handler has returned.
    private func suspend(_ connection: OpaquePointer, in daemon: Daemon) {
        handle = connection
        MHD_suspend_connection(connection)
        daemon.remember(self)
        let (isWaiting, _) = delivery.compareExchange(
            expected: Delivery.waited, desired: Delivery.suspended,
            ordering: .acquiringAndReleasing)
        if !isWaiting { MHD_resume_connection(connection) }
    }

    /// Answers a head beside which the library has no room for an answer's, past the library:
    /// nothing else is under way on the connection, which ends here.
    private func refuseHead(in daemon: Daemon) -> MHD_Result {
        daemon.service.requestMetrics.rejects.add(.headTooLarge)
        let answer =
            "HTTP/1.1 431 Request Header Fields Too Large\r\n"
            + "Connection: close\r\nContent-Length: 0\r\n\r\n"
        _ = send(client.socket, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        answered = (431, 0)
        return .NO
    }

    /// Answers before the request is whole, so that the library closes the connection after it.
    private func refuse(
        _ refusal: RequestRefusal, on connection: OpaquePointer, in daemon: Daemon
    ) -> MHD_Result {
        queue(daemon.service.reply(to: refusal), on: connection, in: daemon)
    }

    private func queue(
        _ reply: Reply, on connection: OpaquePointer, in daemon: Daemon
    ) -> MHD_Result {
        let date = thread.date(.now())
        guard let response = QueuedResponse.make(reply, date: date, closes: daemon.isStopping)
        else { return .NO }
        if let reason = reply.rejection { daemon.service.requestMetrics.rejects.add(reason) }
        guard reply.holdsForSecond, !daemon.isStopping else {
            note(reply.status, reply.length)
            return MHD_queue_response(connection, UInt32(reply.status), response.handle)
        }
        let kept = KeptReplies.Kept(response, reply, route)
        if let keptTarget { thread.kept.keep(kept, for: keptTarget, now: milliseconds()) }
        return queue(again: kept, on: connection)
    }

    private func queue(
        _ kept: KeptReplies.Kept, on connection: OpaquePointer, in daemon: Daemon
    ) -> MHD_Result {
        daemon.service.countRepeatedHit()
        route = kept.route
        return queue(again: kept, on: connection)
    }

    private func queue(again kept: KeptReplies.Kept, on connection: OpaquePointer) -> MHD_Result {
        if let raw { thread.kept.keep(kept, for: raw, method: head.method, now: milliseconds()) }
        note(kept.status, kept.length)
        return MHD_queue_response(connection, UInt32(kept.status), kept.response.handle)
    }

    private func note(_ status: Int, _ length: Int) {
        answered = (status, head.method == "HEAD" ? 0 : length)
        client.enter(.sending)
    }
}
