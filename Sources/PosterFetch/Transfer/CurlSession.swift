import CCurl
import Glibc
import PosterBase

/// One thread's own libcurl handles, which keep connections between requests.
///
/// A request is driven through libcurl's multi interface: `curl_easy_perform` looks at the clock
/// once a second, by which a limit of five may be one of six.
struct CurlSession: ~Copyable {
    /// How often the clock is looked at while nothing comes.
    private static let look: Int32 = 50

    /// What stays the same for every request.
    struct Options: Sendable {
        /// Sent with every request.
        var userAgent: String
        /// Private root certificates in PEM; `nil`: the system's.
        var caFile: String?
        /// The longest that name lookup, connecting and the TLS handshake may take together.
        var connect: Duration
        /// Tells how long a wait was.
        var clock = TimeSource.system
    }

    /// What performing a request came to.
    struct Ending {
        /// libcurl's own verdict, by the phase that was reached.
        let code: CURLcode
        let phase: TransferPhase
        /// libcurl's words for it.
        let message: String
        /// Whether the connection stays open for another request.
        let isKept: Bool
    }

    private let options: Options
    private let curl: onesheet_curl
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<CChar>
    /// The HTTP/1 connection that is kept, if there is one.
    private var kept: (socket: curl_socket_t, isPlain: Bool)?

    /// Throws `.other` when libcurl cannot be had.
    init(_ options: Options) throws(FetchError) {
        let curl = try LibCurl.functions()
        guard let easy = curl.easy_init(), let multi = curl.multi_init() else {
            throw FetchError(.other, "libcurl has no memory")
        }
        (self.options, self.curl, self.easy, self.multi) = (options, curl, easy, multi)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        kept = nil
        apply(options)
    }

    deinit {
        curl.easy_cleanup(easy)
        _ = curl.multi_cleanup(multi)
        message.deallocate()
    }

    /// What lies on a kept connection before anything was asked on it.
    enum Leftover {
        case nothing
        /// Bytes that belong to no answer.
        case bytes
        /// Its end, or what in TLS may be the news of its end.
        case end
    }

    /// Whether the kept connection has something to read: the rest of an answer that was longer
    /// than it said, which libcurl 7.88 would take for the next answer; or its end. In HTTP/2
    /// such bytes are frames of the protocol, and no matter.
    var leftover: Leftover {
        guard let (socket, isPlain) = kept else { return .nothing }
        var byte: UInt8 = 0
        switch recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) {
        case 1: return isPlain ? .bytes : .end
        case 0: return .end
        default: return errno == EAGAIN ? .nothing : .end
        }
    }

    /// Sends one request and hands what comes to `transfer`, until the answer is whole, `timeout`
    /// is over, or the transfer wants no more. Blocks.
    mutating func perform(
        _ url: String, _ headers: HeaderList, of request: FetchRequest, timeout: Duration,
        _ transfer: Transfer
    ) -> Ending {
        guard case .put(let body) = request.method else {
            return perform(url, headers, of: request, nil, timeout, transfer)
        }
        return body.withUnsafeBytes { perform(url, headers, of: request, $0, timeout, transfer) }
    }

    private mutating func perform(
        _ url: String, _ headers: HeaderList, of request: FetchRequest,
        _ body: UnsafeRawBufferPointer?, _ timeout: Duration, _ transfer: Transfer
    ) -> Ending {
        message.pointee = 0
        let setUp = withExtendedLifetime((headers, transfer)) {
            [
                transfer.attach(to: easy, curl),
                onesheet_curl_set_string(curl, easy, CURLOPT_URL, url),
                onesheet_curl_set_headers(curl, easy, headers.list),
                onesheet_curl_set_long(curl, easy, CURLOPT_TIMEOUT_MS, timeout.milliseconds),
                set(request.method, body),
                request.signature.map { set($0) } ?? CURLE_OK,
            ].first { $0 != CURLE_OK }
        }
        guard setUp == nil, curl.multi_add_handle(multi, easy) == CURLM_OK else {
            return ending(setUp ?? CURLE_FAILED_INIT, transfer, isKept: false)
        }
        let code = withExtendedLifetime((headers, transfer)) { drive(transfer) }
        let (socket, isMultiplexed) = connection
        kept = nil
        if code == CURLE_OK, !isMultiplexed, let socket {
            kept = (socket, isPlain: url.hasPrefix("http:"))
        }
        let ending = ending(code, transfer, isKept: code == CURLE_OK && socket != nil)
        _ = curl.multi_remove_handle(multi, easy)
        _ = onesheet_curl_set_headers(curl, easy, nil)
        return ending
    }

    /// Sets the method, and undoes that of the request before.
    private func set(_ method: FetchRequest.Method, _ body: UnsafeRawBufferPointer?) -> CURLcode {
        // This undoes a body as well, and the lack of one.
        var codes = [onesheet_curl_set_long(curl, easy, CURLOPT_HTTPGET, 1)]
        var name: String?
        switch method {
        case .get: break
        case .head: codes.append(onesheet_curl_set_long(curl, easy, CURLOPT_NOBODY, 1))
        case .delete: name = "DELETE"
        case .put:
            name = "PUT"
            // Without a body libcurl would read one from standard input.
            guard let body, let start = body.baseAddress else { return CURLE_BAD_FUNCTION_ARGUMENT }
            codes.append(onesheet_curl_set_body(curl, easy, start, curl_off_t(body.count)))
        }
        codes.append(onesheet_curl_set_string(curl, easy, CURLOPT_CUSTOMREQUEST, name))
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// A session that has signed a request is used for signed requests only.
    private func set(_ signature: RequestSignature) -> CURLcode {
        [
            (CURLOPT_AWS_SIGV4, signature.scheme), (CURLOPT_USERNAME, signature.accessKey),
            (CURLOPT_PASSWORD, signature.secretKey.revealed),
        ].map { onesheet_curl_set_string(curl, easy, $0, $1) }.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func drive(_ transfer: Transfer) -> CURLcode {
        var running: Int32 = 1
        while true {
            transfer.noteTurn(now: options.clock.instant())
            guard curl.multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            guard running > 0 else { break }
            guard transfer.tick(now: options.clock.instant()) else {
                return CURLE_ABORTED_BY_CALLBACK
            }
            // libcurl's own limits end the wait when they are due.
            guard curl.multi_poll(multi, nil, 0, Self.look, nil) == CURLM_OK else {
                return CURLE_FAILED_INIT
            }
        }
        var left: Int32 = 0
        guard let news = curl.multi_info_read(multi, &left), news.pointee.msg == CURLMSG_DONE else {
            return CURLE_FAILED_INIT
        }
        return news.pointee.data.result
    }

    /// The connection of the last request, while libcurl holds it open.
    private var connection: (socket: curl_socket_t?, isMultiplexed: Bool) {
        var (socket, version) = (curl_socket_t(CURL_SOCKET_BAD), 0)
        guard onesheet_curl_get_socket(curl, easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            onesheet_curl_get_long(curl, easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK,
            socket != curl_socket_t(CURL_SOCKET_BAD)
        else { return (nil, false) }
        return (socket, version >= Int(CURL_HTTP_VERSION_2_0))
    }

    private func ending(_ code: CURLcode, _ transfer: Transfer, isKept: Bool) -> Ending {
        var words = String(cString: message)
        if words.isEmpty, let general = curl.easy_strerror(code) {
            words = String(cString: general)
        }
        return Ending(code: code, phase: phase(of: transfer), message: words, isKept: isKept)
    }

    private func phase(of transfer: Transfer) -> TransferPhase {
        if transfer.wasRequested { return transfer.head.isComplete ? .body : .head }
        func reached(_ info: CURLINFO) -> Bool {
            var microseconds: curl_off_t = 0
            return onesheet_curl_get_offset(curl, easy, info, &microseconds) == CURLE_OK
                && microseconds > 0
        }
        if reached(CURLINFO_CONNECT_TIME_T) { return .handshake }
        return reached(CURLINFO_NAMELOOKUP_TIME_T) ? .connect : .lookup
    }

    /// Accept-Encoding is left out on purpose: a content coding is neither asked for nor undone,
    /// or 522 kB become 537 MB.
    private func apply(_ options: Options) {
        let longs: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_HTTPGET, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, options.connect.milliseconds),
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
        for (option, value) in longs { _ = onesheet_curl_set_long(curl, easy, option, value) }
        var strings = [
            (CURLOPT_USERAGENT, options.userAgent), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_REDIR_PROTOCOLS_STR, "http,https"),
        ]
        if let caFile = options.caFile { strings.append((CURLOPT_CAINFO, caFile)) }
        for (option, value) in strings { _ = onesheet_curl_set_string(curl, easy, option, value) }
        _ = onesheet_curl_set_error_buffer(curl, easy, message)
    }
}

extension Duration {
    /// Whole milliseconds, at least 1 (0 means "no limit" to libcurl), a day at most.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = min(self, .seconds(86_400)).components
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
