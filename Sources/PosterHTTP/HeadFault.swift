/// Why the bytes of a client are no request head that may be served.
package enum HeadFault: Error, Equatable, Sendable {
    /// They break the grammar or the framing rules of RFC 9112; `what` completes "the request has".
    case malformed(_ what: String)
    /// The request line is longer than a whole head may be.
    case targetTooLong
    /// The head is longer than it may be.
    case headTooLarge
    /// The major version is not 1.
    case version

    /// The status of the answer (RFC 9110, section 15).
    package var status: Int {
        switch self {
        case .malformed: 400
        case .targetTooLong: 414
        case .headTooLarge: 431
        case .version: 505
        }
    }
}
