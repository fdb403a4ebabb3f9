import CCurl

/// How far a transfer came before libcurl gave up on it.
enum TransferPhase: Sendable {
    /// Asking for the host's address.
    case lookup
    /// Connecting.
    case connect
    /// Shaking hands for TLS.
    case handshake
    /// The request is out and the answer's head is not whole.
    case head
    /// In the body.
    case body
}

extension FetchError {
    /// Names a code of libcurl (curl.h 7.88, `CURLcode`), by the phase in which it came.
    ///
    /// `message` is libcurl's own, which never holds a header that we sent.
    init(code: CURLcode, phase: TransferPhase, message: String) {
        self.init(Self.reason(of: code, phase: phase, message: message), message)
    }

    private static func reason(
        of code: CURLcode, phase: TransferPhase, message: String
    ) -> Reason {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_PROXY: .connect
        case CURLE_OPERATION_TIMEDOUT: timeout(in: phase)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .tls
        case CURLE_GOT_NOTHING: .emptyReply
        case CURLE_PARTIAL_FILE: .shortBody
        // A chunk's bad length is a failure to receive, to libcurl.
        case CURLE_RECV_ERROR where message.contains("chunk"): .framing
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM: .reset
        // "Unsupported protocol" is HTTP/0.9 here: only http and https URLs come this far.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_CHUNK_FAILED:
            .framing
        // A header line over libcurl's 100 kB comes as "out of memory".
        case CURLE_OUT_OF_MEMORY where phase == .head: .framing
        case CURLE_BAD_CONTENT_ENCODING: .encoded
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_TOO_MANY_REDIRECTS: .redirectRefused
        default: .other
        }
    }

    private static func timeout(in phase: TransferPhase) -> Reason {
        switch phase {
        case .lookup: .dnsTimeout
        case .connect, .handshake: .connectTimeout
        case .head, .body: .totalTimeout
        }
    }
}
