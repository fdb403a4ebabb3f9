import Glibc
public import PosterBase
import PosterHTTP
import PosterImages
public import PosterKit
public import PosterLists

/// Serves a ``PosterStore`` over HTTP, from a socket of its own until it is stopped.
///
/// Several may live in one process; each has its threads. What was handed over (store, lists)
/// stays the caller's to close, after the server has stopped.
public final class Server: Sendable {
    /// The port that it listens on; the system's choice where 0 was asked for.
    public let port: UInt16
    private let service: Service
    let http: HTTPServer

    /// Listens and starts the threads. `lists` may be missing: then there is no relay and no page.
    public init(
        _ configuration: ServerConfiguration, store: PosterStore, lists: ListStore?,
        log: Log = .standardError
    ) throws(ServerError) {
        let socket: Int32
        if let inherited = configuration.inheritedSocket {
            socket = inherited
        } else {
            socket = try configuration.listen.listen()
        }
        port = ListenAddress.port(of: socket)
        service = Service(configuration, store: store, lists: lists)
        let handler = ServiceHandler(service, accessLog: configuration.accessLog, log: log)
        guard let http = HTTPServer(handler, listener: socket, configuration.http) else {
            let code = errno
            ListenAddress.close(socket)
            throw .descriptors(code: code)
        }
        self.http = http
        let counter = http.connectionCounter
        service.connectionCounts.withLock { $0 = counter }
        if let reason = PixelPool.fastDecoderTrouble {
            log(.warn, "fast_jpeg_off", ["reason": reason])
        }
    }

    /// Who may use the list API's relay from now on; `nil`: everybody.
    public func replaceClientTokens(_ tokens: [Secret]?) { service.replaceClientTokens(tokens) }

    /// Stops: takes no new connection at once, lets what is in flight finish for at most
    /// `grace`, and closes the rest. Blocks. Later calls do nothing.
    public func stop(grace: Duration) {
        http.stop(grace: grace)
        service.stop()
    }

    deinit { stop(grace: .zero) }
}
