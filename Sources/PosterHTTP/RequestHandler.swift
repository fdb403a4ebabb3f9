/// What an ``HTTPServer`` serves.
package protocol RequestHandler: Sendable {
    /// Answers a request: calls ``Responder/respond(_:)`` once, at once or later from any thread.
    /// Called on a serving thread, so it must not block.
    func handle(_ head: RequestHead, _ responder: Responder)

    /// The answer to a head that is refused. The connection ends with it.
    func response(to fault: HeadFault) -> Response

    /// The answer to a request that has none yet when the server ends.
    var endingResponse: Response { get }

    /// An exchange has ended. Called on its serving thread.
    func completed(_ exchange: CompletedExchange)

    /// Something happened to a connection that is no exchange. Called on a serving thread.
    func noted(_ event: ConnectionEvent)
}

/// A request and its answer, once the last byte has been handed to the kernel, or the client has
/// left.
package struct CompletedExchange {
    /// Where the request came from: the connection's peer, or behind a trusted proxy its client.
    package var client: ClientAddress?
    /// As sent; `-` where the request line was refused.
    package var method: String
    /// As sent; empty where the request line was refused.
    package var target: String
    /// 0 when the client left before it was answered.
    package var status: Int
    /// Bytes of the body that were sent.
    package var bodyBytes: Int
    /// From the head's end to the answer's.
    package var milliseconds: Int64
    /// ``Response/tag`` of the answer.
    package var tag: Int
}

/// What becomes of a connection without an exchange.
package enum ConnectionEvent: Equatable {
    /// It was ended because a request's head took too long.
    case headOverdue
    /// It was ended because the client took too long to receive an answer.
    case answerOverdue
    /// It was ended because its client has as many as one client may have.
    case tooManyOfClient
    /// No more are accepted for a moment: the system has no descriptor or no memory; errno's code.
    case acceptFailed(Int32)
}
