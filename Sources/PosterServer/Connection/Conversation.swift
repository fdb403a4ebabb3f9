import CMicrohttpd
import Glibc
import PosterKit

/// A connection's requests, one after the other, as the library's thread sees them.
///
/// A head that came within this second, byte for byte, and was answered from the cache, is
/// answered so again without being read. Every other request is an ``Exchange``.
final class Conversation: Sendable {
    /// The connection, as the watchdog sees it.
    let client: ClientConnection
    /// The thread that serves it.
    let thread: ServingThread
    private nonisolated(unsafe) var began: Int64 = 0
    private nonisolated(unsafe) var target: UnsafePointer<CChar>?
    /// For the access log, where there is one: the library's memory may be gone by then.
    private nonisolated(unsafe) var loggedTarget = ""
    private nonisolated(unsafe) var hidden: HeadReader.HiddenQuery?
    private nonisolated(unsafe) var exchange: Exchange?
    private nonisolated(unsafe) var repeated: KeptReplies.Repeatable?

    init(_ client: ClientConnection, on thread: ServingThread) {
        self.client = client
        self.thread = thread
    }

    /// The target of a next request has come.
    func begin(_ connection: OpaquePointer, target: UnsafePointer<CChar>, in daemon: Daemon) {
        began = milliseconds()
        self.target = target
        if daemon.accessLog != nil { loggedTarget = String(cString: target) }
        hidden = HeadReader.prepare(connection, target: target)
        daemon.begin()
        client.enter(.head, at: began)
    }

    /// Does the request's next step. The result is for the library: `.NO` closes the connection.
    func advance(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        in daemon: Daemon
    ) -> MHD_Result {
        if let exchange {
            return exchange.advance(connection, method: method, version: version, in: daemon)
        }
        if let repeated { return queue(repeated, on: connection, in: daemon) }
        guard let target else { return .NO }
        hidden?.show()
        hidden = nil
        let raw = RawHead(connection, method: method, target: target, version: version)
        if let raw, !daemon.isStopping,
            let found = thread.kept.reply(to: raw, now: milliseconds())
        {
            repeated = found
            return .YES
        }
        let exchange = Exchange(client, on: thread, target: target, raw)
        self.exchange = exchange
        return exchange.advance(connection, method: method, version: version, in: daemon)
    }

    /// The answer is sent, or the connection broke. `status` is what the library answered itself.
    func complete(statusOfLibrary status: Int, in daemon: Daemon) {
        client.enter(.idle)
        // Here and not when it is resumed: a client that has left by then is not asked again.
        if let exchange, exchange.wasSuspended { daemon.forget(exchange) }
        if let repeated {
            let kept = repeated.kept
            tell(kept.route, kept.status, repeated.answeredLength, repeated.method, in: daemon)
        } else if let exchange, exchange.answered.status != 0 {
            let (answered, method) = (exchange.answered, exchange.method)
            tell(exchange.route, answered.status, answered.length, method, in: daemon)
        } else {
            if status >= 400 { daemon.service.requestMetrics.rejects.add(.malformed) }
            // Nobody has read the head that the library refused.
            tell(exchange?.route ?? .none, status, 0, exchange?.method ?? "-", in: daemon)
        }
        (exchange, repeated, target, hidden) = (nil, nil, nil, nil)
    }

    private func tell(
        _ route: RequestMetrics.RouteName, _ status: Int, _ length: Int, _ method: String,
        in daemon: Daemon
    ) {
        daemon.accessLog?.write(
            AccessLog.Entry(
                time: .now(), client: client.address?.description ?? "unknown", method: method,
                target: loggedTarget, status: status, bytes: length, route: route,
                milliseconds: milliseconds() - began))
        daemon.complete(route, status: status, length: length)
    }

    private func queue(
        _ repeated: KeptReplies.Repeatable, on connection: OpaquePointer, in daemon: Daemon
    ) -> MHD_Result {
        daemon.service.countRepeatedHit()
        client.enter(.sending)
        return MHD_queue_response(
            connection, UInt32(repeated.kept.status), repeated.kept.response.handle)
    }
}
