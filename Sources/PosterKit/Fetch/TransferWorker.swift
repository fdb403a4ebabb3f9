import Amodb
import CCurl
import Glibc

/// One transfer thread's own libcurl handle, which keeps its connections between fetches.
///
/// It speaks HTTP/2 where TLS agrees on it, goes through the proxies that the usual variables
/// name (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), tries IPv6 and IPv4 side by side
/// (RFC 8305), and verifies certificates.
struct TransferWorker: ~Copyable {
    /// With libcurl's functions; `nil` until the first fetch.
    private var easy: (curl: onesheet_curl, handle: UnsafeMutableRawPointer)?
    private let message: UnsafeMutablePointer<CChar>
    private let userAgent: String
    private let caFile: String?
    private let limits: TransferLimits
    private let stop: StopSignal

    /// `userAgent` is sent with every request; `caFile` names private root certificates in PEM;
    /// `stop` ends a transfer within a second, and all after it.
    init(
        userAgent: String, caFile: String?, stop: StopSignal = StopSignal(),
        limits: TransferLimits = TransferLimits()
    ) {
        (self.userAgent, self.caFile, self.stop, self.limits) = (userAgent, caFile, stop, limits)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        easy = nil
    }

    deinit {
        if let (curl, handle) = easy { curl.easy_cleanup(handle) }
        message.deallocate()
    }

    /// Fetches one URL. Blocks until the answer is whole, or a limit or fault ends it.
    ///
    /// Redirects are followed here, step by step; a request with a key follows none, so that
    /// the key goes to nobody else. An answer that is no success counts by its status: its body
    /// is empty where it did not come whole, or comes in a content coding.
    mutating func fetch(_ request: FetchRequest) throws(FetchError) -> FetchResponse {
        let deadline = ContinuousClock.now + request.timeout
        let mostSteps = request.bearer == nil ? request.maxRedirects : 0
        var visited = [request.url]
        while true {
            let url = visited[visited.count - 1]
            let response = try get(url, request, until: deadline)
            guard Redirect.isRedirect(response.status) else { return response }
            guard visited.count <= mostSteps else {
                throw FetchError(
                    .redirectRefused, "status \(response.status) after \(visited.count - 1) steps")
            }
            let next = try Redirect.target(of: response.values(of: "location"), from: url)
            guard !visited.contains(next) else {
                throw FetchError(.redirectRefused, "in a circle, to \(Quoted(next))")
            }
            visited.append(next)
        }
    }

    private mutating func get(
        _ url: String, _ request: FetchRequest, until deadline: ContinuousClock.Instant
    ) throws(FetchError) -> FetchResponse {
        guard !stop.isRaised else { throw FetchError(.closed, "the store is closing") }
        let (curl, handle) = try ready()
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { throw FetchError(.totalTimeout, "\(request.timeout) are over") }
        let headers = try HeaderList(of: request, curl)
        let transfer = Transfer(maxBytes: request.maxBytes, limits: limits, stop: stop)
        message.pointee = 0
        let code = withExtendedLifetime((headers, transfer)) {
            var code = transfer.attach(to: handle, curl)
            if code == CURLE_OK { code = onesheet_curl_set_string(curl, handle, CURLOPT_URL, url) }
            if code == CURLE_OK { code = onesheet_curl_set_headers(curl, handle, headers.list) }
            if code == CURLE_OK {
                code = onesheet_curl_set_long(curl, handle, CURLOPT_TIMEOUT_MS, left.milliseconds)
            }
            if code == CURLE_OK { code = curl.easy_perform(handle) }
            _ = onesheet_curl_set_headers(curl, handle, nil)
            return code
        }
        return try judge(code, transfer)
    }

    private func judge(
        _ code: CURLcode, _ transfer: Transfer
    ) throws(FetchError) -> FetchResponse {
        let head = transfer.head
        let isWhole = code == CURLE_OK && transfer.refusal == nil
        guard isWhole || (head.isComplete && !head.isSuccess) else {
            if let refusal = transfer.refusal { throw refusal }
            throw FetchError(
                code: code, phase: phase(of: transfer), message: words(of: code))
        }
        guard head.isComplete else { throw FetchError(.emptyReply, "no head") }
        let usesBody = isWhole && head.foreignCoding == nil
        return FetchResponse(
            status: head.status, headers: head.fields, body: usesBody ? transfer.body : [])
    }

    /// libcurl's words for what went wrong, the particular ones if it has any.
    private func words(of code: CURLcode) -> String {
        guard message.pointee == 0, let general = easy?.curl.easy_strerror(code) else {
            return String(cString: message)
        }
        return String(cString: general)
    }

    private func phase(of transfer: Transfer) -> TransferPhase {
        if transfer.wasRequested { return transfer.head.isComplete ? .body : .head }
        func reached(_ info: CURLINFO) -> Bool {
            var microseconds: curl_off_t = 0
            guard let (curl, handle) = easy else { return false }
            return onesheet_curl_get_offset(curl, handle, info, &microseconds) == CURLE_OK
                && microseconds > 0
        }
        if reached(CURLINFO_CONNECT_TIME_T) { return .handshake }
        return reached(CURLINFO_NAMELOOKUP_TIME_T) ? .connect : .lookup
    }

    /// Whether the kept connection has bytes to read before anything was asked on it: the rest
    /// of an answer that was longer than it said, which libcurl 7.88 would take for the next
    /// answer; or its end. In HTTP/2 such bytes are frames of the protocol.
    private var hasUnaskedInput: Bool {
        var (socket, version) = (curl_socket_t(CURL_SOCKET_BAD), 0)
        guard let (curl, handle) = easy,
            onesheet_curl_get_socket(curl, handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            onesheet_curl_get_long(curl, handle, CURLINFO_HTTP_VERSION, &version) == CURLE_OK,
            socket != CURL_SOCKET_BAD, version < Int(CURL_HTTP_VERSION_2_0)
        else { return false }
        var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&look, 1, 0) > 0
    }

    /// The handle, ready for a request; a new one, without the connections of the old, where
    /// those cannot be used. Throws `.other` when libcurl cannot be had.
    private mutating func ready()
        throws(FetchError) -> (curl: onesheet_curl, handle: UnsafeMutableRawPointer)
    {
        if let easy {
            if !hasUnaskedInput { return easy }
            easy.curl.easy_cleanup(easy.handle)
            self.easy = nil
        }
        let curl = try LibCurl.functions()
        guard let handle = curl.easy_init() else { throw FetchError(.other, "out of memory") }
        prepare(handle, curl)
        easy = (curl, handle)
        return (curl, handle)
    }

    /// Sets what stays the same for every request. Accept-Encoding is left out on purpose: a
    /// content coding is neither asked for nor undone, or 522 kB become 537 MB.
    private func prepare(_ handle: UnsafeMutableRawPointer, _ curl: onesheet_curl) {
        let longs: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_HTTPGET, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, limits.connect.milliseconds),
            // A name server that never answers would otherwise hold the thread for 10 s more.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_HTTP09_ALLOWED, 0), (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
            (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1), (CURLOPT_TCP_KEEPALIVE, 1),
            // The key must not go to a proxy with CONNECT.
            (CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)),
        ]
        for (option, value) in longs { _ = onesheet_curl_set_long(curl, handle, option, value) }
        var strings = [
            (CURLOPT_USERAGENT, userAgent), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_REDIR_PROTOCOLS_STR, "http,https"),
        ]
        if let caFile { strings.append((CURLOPT_CAINFO, caFile)) }
        for (option, value) in strings { _ = onesheet_curl_set_string(curl, handle, option, value) }
        _ = onesheet_curl_set_error_buffer(curl, handle, message)
    }
}

/// The request's header lines as libcurl takes them.
private final class HeaderList {
    private let curl: onesheet_curl
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// Throws `.other` for a value that no header may hold.
    init(of request: FetchRequest, _ curl: onesheet_curl) throws(FetchError) {
        self.curl = curl
        var lines = ["Accept: \(request.accept)"]
        if let tag = request.validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = request.validators.lastModified {
            lines.append("If-Modified-Since: \(date)")
        }
        if let key = request.bearer { lines.append("Authorization: Bearer \(key.revealed)") }
        // A line break inside a value would begin a header of somebody else's making.
        guard lines.allSatisfy({ $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }) else {
            throw FetchError(.other, "a header value with a character that no header may hold")
        }
        for line in lines {
            guard let longer = curl.slist_append(list, line) else {
                throw FetchError(.other, "out of memory")
            }
            list = longer
        }
    }

    deinit { curl.slist_free_all(list) }
}

extension Duration {
    /// Whole milliseconds, at least 1 (0 means "no limit" to libcurl), a day at most.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = min(self, .seconds(86_400)).components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
