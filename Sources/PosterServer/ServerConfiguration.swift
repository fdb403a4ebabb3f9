public import Amodb
public import PosterBase
public import PosterHTTP

/// Every knob of a ``Server``, with its unit and default.
public struct ServerConfiguration: Sendable {
    /// Where to listen.
    public var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// A socket that listens already, as a service manager hands it over; used instead of
    /// ``listen``, and closed by the server.
    public var inheritedSocket: Int32?
    /// The longest that a client waits for a picture before it gets a placeholder.
    public var deadline: Duration = .milliseconds(2500)
    /// The origin that browsers' scripts may come from, or `*`; `nil`: no CORS.
    public var corsOrigin: String?
    /// Who may use the list API's relay; `nil`: everybody.
    public var clientTokens: [Secret]?
    /// Where clients reach this service; `nil`: at the host that each request names.
    public var publicURL: BaseURL?
    /// Boxes that thumbnails may have; `nil`: any. Bounds how many variants strangers can make
    /// the cache hold.
    public var allowedBoxes: Set<AllowedBox>?
    /// Qualities that thumbnails may have beside the default one; `nil`: any, or none where
    /// ``allowedBoxes`` are given, because a hundred of each would be no bound.
    public var allowedQualities: Set<Int>?
    /// Where a line for each request goes; `nil`: nowhere.
    public var accessLog: AccessLog?
    /// Threads that serve, at least 1. By default one for every two cores: one answers 80,000 hits
    /// a second, and with no more threads than cores that are free for them, a hit waits for none
    /// that is about to run. On two cores beside `wrk`, two threads serve 0.95 of what one does, at
    /// four times its p99.
    public var threads = max(1, onlineCores() / 2)
    /// Connections at once; more wait in the system's backlog.
    public var connectionLimit = 4096
    /// Connections of one client at once, which is an IPv4 address or an IPv6 network of 64 bits;
    /// `nil`: any number. ``trustedProxies`` have no limit.
    public var connectionsPerClient: Int?
    /// The most bytes of a request's head.
    public var headLimit = 8 << 10
    /// Peers whose `X-Forwarded-For` names the client: for the access log, and so that they are not
    /// taken for one client with too many connections.
    public var trustedProxies: [AddressRange] = []
    /// The longest between two requests of a connection.
    public var idleTimeout: Duration = .seconds(60)
    /// The longest that a client may take for a request's head, from its first byte.
    public var headTimeout: Duration = .seconds(10)
    /// The longest that a client may take to receive an answer.
    public var answerTimeout: Duration = .seconds(60)

    /// What deadlines are measured with, in milliseconds; a test sets its own.
    var clock: @Sendable () -> Int64 = { milliseconds() }

    /// The defaults.
    public init() {}
}

extension ServerConfiguration {
    /// What of it is HTTP's.
    var http: HTTPConfiguration {
        var http = HTTPConfiguration()
        http.threads = threads
        http.connectionLimit = connectionLimit
        http.connectionsPerClient = connectionsPerClient
        http.headLimit = headLimit
        http.deadlines = ConnectionDeadlines(
            idle: idleTimeout, head: headTimeout, answer: answerTimeout)
        http.trustedProxies = trustedProxies
        http.clock = clock
        return http
    }
}
