import Amodb
package import PosterBase
import PosterCache

/// One request to upstream or to an object store.
package struct FetchRequest: Sendable {
    /// What is to be done with the thing at the URL.
    package enum Method: Sendable {
        case get
        /// GET without the body.
        case head
        case delete
        /// Puts these bytes there, at least one.
        case put([UInt8])
    }

    /// The whole URL.
    package var url: String
    /// Ask only for what changed since (RFC 9110, section 13.1).
    var validators = Validators()
    /// The list API's key; goes into `Authorization` and nowhere else.
    var bearer: Secret?
    /// `Accept`.
    var accept: String
    /// The most body bytes that are read.
    var maxBytes: Int
    /// How many redirects are followed, to the same scheme, host and port only.
    var maxRedirects: Int
    /// The longest that the whole may take.
    var timeout: Duration
    var method = Method.get
    /// Further header fields.
    var headers: [(name: String, value: String)] = []
    /// The credentials that sign the request; `nil`: it is not signed.
    var signature: RequestSignature?

    package init(
        url: String, validators: Validators = Validators(), bearer: Secret? = nil, accept: String,
        maxBytes: Int, maxRedirects: Int, timeout: Duration, method: Method = Method.get,
        headers: [(name: String, value: String)] = [], signature: RequestSignature? = nil
    ) {
        self.url = url
        self.validators = validators
        self.bearer = bearer
        self.accept = accept
        self.maxBytes = maxBytes
        self.maxRedirects = maxRedirects
        self.timeout = timeout
        self.method = method
        self.headers = headers
        self.signature = signature
    }
}

/// What signs a request in AWS' way, version 4 (CURLOPT_AWS_SIGV4). libcurl signs every header
/// that it is given, so that none may be empty.
package struct RequestSignature: Sendable {
    /// `aws:amz:REGION:s3`.
    let scheme: String
    let accessKey: String
    let secretKey: Secret
    /// Of a key that ends soon; goes into `x-amz-security-token`.
    let sessionToken: Secret?

    package init(scheme: String, accessKey: String, secretKey: Secret, sessionToken: Secret?) {
        self.scheme = scheme
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

/// What upstream answered, whole and unjudged.
package struct FetchResponse: Sendable {
    package let status: Int
    /// Header fields in the order received, names in lower case; of the last response when
    /// redirects were followed.
    let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// All values of a field, in order.
    package func values(of name: String) -> [String] {
        headers.filter { $0.name == name }.map(\.value)
    }

    /// `ETag` and `Last-Modified`, those that can be used.
    func validators(now: Timestamp) -> Validators {
        Validators(
            entityTag: values(of: "etag").first, lastModified: values(of: "last-modified").first
        ).usable(now: now)
    }

    /// The pause that it asks for: that of 429 in any case, that of 503 where it says so. Elsewhere
    /// `Retry-After` means something else (RFC 9110, section 10.2.3), or nothing.
    ///
    /// A date is compared with the answer's own `Date`, so that the difference between the two
    /// machines' clocks does not matter; with `now` where there is none that can be read.
    package func pause(now: Timestamp) -> RetryAfter? {
        let values = values(of: "retry-after")
        guard status == 429 || (status == 503 && !values.isEmpty) else { return nil }
        let sent = self.values(of: "date").lazy.compactMap { HTTPDate.parse($0, now: now) }.first
        return RetryAfter(values, now: sent ?? now)
    }
}
