/// Why something could not be had from upstream.
public struct FetchError: Error, Hashable, Sendable {
    /// The closed set of names that metrics, logs and summaries use.
    public enum Reason: String, CaseIterable, Sendable {
        /// The host's name has no address.
        case dns
        /// No name server answered in time.
        case dnsTimeout = "dns_timeout"
        /// Refused or reset while connecting.
        case connect
        /// No connection in time.
        case connectTimeout = "connect_timeout"
        /// The TLS handshake or the certificate failed.
        case tls
        /// Connected, and then silence.
        case firstByteTimeout = "first_byte_timeout"
        /// Slower than the least speed for too long.
        case stalled
        /// Longer than a whole fetch may take.
        case totalTimeout = "total_timeout"
        /// This process, or the whole machine, stood still meanwhile: the time limits say nothing of
        /// upstream.
        case halted
        /// The connection broke in the middle.
        case reset
        /// Fewer bytes than announced.
        case shortBody = "short_body"
        /// The answer breaks HTTP's framing.
        case framing
        /// No answer at all.
        case emptyReply = "empty_reply"
        /// More bytes than the limit.
        case tooLarge = "too_large"
        /// A content coding other than identity.
        case encoded
        /// A redirect that leads elsewhere or on for too long.
        case redirectRefused = "redirect_refused"
        /// A success that carries no poster (204, 206, an unasked 304 …).
        case unexpectedStatus = "unexpected_status"
        /// 400 and its kin.
        case status4xx = "status_4xx"
        /// 401 or 403 for a picture.
        case denied
        /// 401 from the list API.
        case keyRefused = "key_refused"
        /// 402 from the list API.
        case planEnded = "plan_ended"
        /// 429.
        case rateLimited = "rate_limited"
        /// 500–599.
        case status5xx = "status_5xx"
        /// The bytes are no JPEG or PNG.
        case notAnImage = "not_an_image"
        /// The bytes are a picture that is not whole.
        case truncatedImage = "truncated_image"
        /// The bytes are a picture over the limits or with a fault inside.
        case badImage = "bad_image"
        /// A success of the list API that is no JSON, or too much of it.
        case listInvalid = "list_invalid"
        /// The host asked for a pause that is not over.
        case backingOff = "backing_off"
        /// The host failed so often that it is left alone for a while.
        case hostDown = "host_down"
        /// Too many wait already.
        case busy
        /// The waiting client's deadline passed; the fetch goes on.
        case deadline
        /// The store is closing.
        case closed
        /// libcurl said something else.
        case other
    }

    /// Its name.
    public let reason: Reason
    /// The numbers or the library's words that decided, for logs and people.
    public let detail: String
    /// When to try again at the earliest, in seconds from then, where upstream said so.
    public let retryAfterSeconds: Int?

    /// Puts an error together.
    public init(_ reason: Reason, _ detail: String, retryAfterSeconds: Int? = nil) {
        self.reason = reason
        self.detail = detail
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether time ran out (504), rather than something failing (502).
    public var isTimeout: Bool {
        switch reason {
        case .dnsTimeout, .connectTimeout, .firstByteTimeout, .stalled, .totalTimeout, .deadline:
            true
        default: false
        }
    }

    /// Whether the fault belongs to the connection or the moment, so that asking again soon may
    /// help.
    public var isWorthRetrying: Bool {
        switch reason {
        case .connect, .reset, .shortBody, .framing, .emptyReply, .status5xx, .truncatedImage,
            .firstByteTimeout, .connectTimeout, .stalled, .halted:
            true
        default: false
        }
    }
}

extension FetchError: CustomStringConvertible {
    /// One line: the name, then what decided.
    public var description: String {
        detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)"
    }
}
