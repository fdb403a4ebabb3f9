import PosterBase
import PosterHTTP

/// Puts a ``Service`` behind an ``HTTPServer``: hands requests over, counts them and logs them.
final class ServiceHandler: RequestHandler {
    private let service: Service
    private let accessLog: AccessLog?
    private let log: Log
    private let metrics: RequestMetrics
    /// Since when accepting has failed, if it has lately: one line in the log is enough.
    private let lastAcceptFailure = Monitor<ContinuousClock.Instant?>(nil)

    init(_ service: Service, accessLog: AccessLog?, log: Log) {
        self.service = service
        self.accessLog = accessLog
        self.log = log
        metrics = service.requestMetrics
    }

    func handle(_ head: RequestHead, _ responder: Responder) {
        service.answer(head) { [metrics] reply in
            if let reason = reply.rejection { metrics.rejects.add(reason) }
            responder.respond(reply.response)
        }
    }

    func response(to fault: HeadFault) -> Response {
        let reply = service.reply(to: RequestRefusal(fault))
        if let reason = reply.rejection { metrics.rejects.add(reason) }
        return reply.response
    }

    var endingResponse: Response { ImageReply.busy.response }

    func completed(_ exchange: CompletedExchange) {
        let tag = AnswerTag(rawValue: exchange.tag)
        metrics.count(tag.route, status: exchange.status, length: exchange.bodyBytes)
        accessLog?.write(
            AccessLog.Entry(
                time: .now(), client: exchange.client?.description ?? "unknown",
                method: exchange.method, target: exchange.target, status: exchange.status,
                bytes: exchange.bodyBytes, route: tag.route, outcome: tag.outcome,
                milliseconds: exchange.milliseconds))
    }

    func noted(_ event: ConnectionEvent) {
        switch event {
        case .headOverdue: metrics.overdue.add(.head)
        case .answerOverdue: metrics.overdue.add(.answer)
        case .tooManyOfClient: metrics.rejects.add(.clientConnections)
        case .acceptFailed(let code): tell(acceptFailure: code)
        }
    }

    private func tell(acceptFailure code: Int32) {
        let isFirst = lastAcceptFailure.withLock { last in
            let now = ContinuousClock.now
            defer { last = now }
            return last.map { now - $0 > .seconds(60) } ?? true
        }
        if isFirst { log(.error, "accept_failed", ["errno": String(code)]) }
    }
}
