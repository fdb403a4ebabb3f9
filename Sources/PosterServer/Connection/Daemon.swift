import CMicrohttpd
import Glibc
import PosterKit
import Synchronization

/// libmicrohttpd's threads, and what its callbacks do.
///
/// A few threads, each with its own epoll set. They answer what is cached; for all else they set
/// the connection aside and go on, so that none of them ever waits for upstream, a decode or a disk
/// that has been slow.
final class Daemon: Sendable {
    /// What answers.
    let service: Service
    let connections: ConnectionTable
    let accessLog: AccessLog?
    private let connectionMemory: Int
    private let threads = Monitor<[pthread_t: ServingThread]>([:])
    /// Set once, before anybody can call ``stop(grace:)``.
    private nonisolated(unsafe) var handle: OpaquePointer?
    private let inFlight = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let isDrained = Monitor(false)
    private let suspended = Monitor(Suspended())

    private struct Suspended {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isClosed = false
    }

    init(
        _ service: Service, listening socket: Int32, _ configuration: ServerConfiguration
    ) throws(ServerError) {
        self.service = service
        accessLog = configuration.accessLog
        connectionMemory = configuration.connectionMemory
        connections = ConnectionTable(
            limits: ClientConnection.Limits(
                idle: configuration.idleTimeout, head: configuration.headTimeout,
                answer: configuration.answerTimeout),
            metrics: service.requestMetrics, clientLimit: configuration.connectionsPerClient)
        let started = onesheet_start_daemon(
            socket, UInt32(configuration.threads), UInt32(configuration.connectionLimit),
            configuration.connectionMemory, Unmanaged.passUnretained(self).toOpaque(),
            acceptConnection, handleRequest, beginRequest, completeRequest, notifyConnection)
        guard let started else { throw .library(code: errno) }
        handle = started
        service.connectionCounts.withLock { [connections] in $0 = { connections.counts } }
        connections.startWatchdog()
    }

    /// Whether the end has begun: answers close their connections then.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    fileprivate func admits(_ address: ClientAddress?) -> Bool {
        if isStopping {
            service.requestMetrics.rejects.add(.stopping)
            return false
        }
        return connections.admits(address)
    }

    /// Takes no new connection, lets what is in flight finish for `grace`, answers the rest
    /// with 503, and ends the threads. Blocks. Later calls do nothing.
    ///
    /// A client that connects meanwhile is hung up on. The library's own way to stop listening
    /// (`MHD_quiesce_daemon`, 0.9.75) races with its threads, and the loser aborts the process.
    func stop(grace: Duration) {
        guard !stopping.exchange(true, ordering: .acquiringAndReleasing),
            let daemon = handle
        else { return }
        waitUntilDrained(for: grace)
        // The library aborts the process when it is stopped with a connection set aside.
        let left = suspended.withLock { suspended in
            suspended.isClosed = true
            return Array(suspended.exchanges.values)
        }
        for exchange in left { exchange.deliver(ImageReply.busy) }
        // What was delivered just now is sent by the library's threads, unless they end before.
        waitUntilDrained(for: Self.farewell)
        MHD_stop_daemon(daemon)
        connections.stop()
    }

    /// The longest that the last answers may take, which are short.
    private static let farewell = Duration.seconds(1)

    /// Waits until nothing is in flight. Blocks.
    private func waitUntilDrained(for limit: Duration) {
        _ = isDrained.wait(until: .now + limit) { isDrained in
            isDrained = self.inFlight.load(ordering: .acquiring) == 0
            return isDrained ? true : nil
        }
    }

    /// Whether a head of so many bytes leaves its connection the room that an answer's head needs.
    /// The library would close the connection without a word.
    func hasRoom(for head: RequestHead) -> Bool {
        head.bytesOfMemory + Self.answerMemory <= connectionMemory
    }

    /// More than the longest head that is answered with.
    private static let answerMemory = 1024

    /// Notes an exchange whose connection is set aside, until it ends.
    func remember(_ exchange: Exchange) {
        let isClosed = suspended.withLock { suspended in
            suspended.exchanges[ObjectIdentifier(exchange)] = exchange
            return suspended.isClosed
        }
        if isClosed { exchange.deliver(ImageReply.busy) }
    }

    /// How many exchanges are remembered.
    var remembered: Int { suspended.withLock { $0.exchanges.count } }

    /// Forgets an exchange that has ended.
    func forget(_ exchange: Exchange) {
        suspended.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Counts a request that has begun.
    func begin() { inFlight.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a request that has been answered, or whose connection broke.
    func complete(_ route: RequestMetrics.RouteName, status: Int, length: Int) {
        service.requestMetrics.count(route, status: status, length: length)
        inFlight.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        if isStopping {
            // Under the lock, so that it does not fall between a look and a wait.
            isDrained.withLock { $0 = inFlight.load(ordering: .acquiring) == 0 }
            isDrained.signal()
        }
    }

    /// A connection's place, on the library's thread that accepted it.
    fileprivate func accepted(_ connection: OpaquePointer) -> Conversation {
        let thread = threads.withLock { threads in
            let own = threads[pthread_self()] ?? ServingThread()
            threads[pthread_self()] = own
            return own
        }
        let client = connections.open(
            socket: onesheet_connection_socket(connection),
            from: ClientAddress(onesheet_client_address(connection)))
        return Conversation(client, on: thread)
    }
}

private func daemon(_ context: UnsafeMutableRawPointer?) -> Daemon? {
    context.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
}

/// A client connects; its connection is closed at once when it is not let in.
private func acceptConnection(
    context: UnsafeMutableRawPointer?, address: UnsafePointer<sockaddr>?, length: socklen_t
) -> MHD_Result {
    guard let daemon = daemon(context) else { return .NO }
    return daemon.admits(ClientAddress(address)) ? .YES : .NO
}

private func conversation(_ place: UnsafeMutableRawPointer?) -> Conversation? {
    place.map { Unmanaged<Conversation>.fromOpaque($0).takeUnretainedValue() }
}

/// The target is read; headers follow. What it returns is the conversation's place.
private func beginRequest(
    context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let daemon = daemon(context), let target, let connection else { return nil }
    let place = onesheet_socket_context(connection)
    conversation(place)?.begin(connection, target: target, in: daemon)
    return place
}

private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
    upload: UnsafePointer<CChar>?, uploadSize: UnsafeMutablePointer<Int>?,
    place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let daemon = daemon(context), let connection, let method, let version,
        let conversation = conversation(place?.pointee)
    else { return .NO }
    return conversation.advance(connection, method: method, version: version, in: daemon)
}

/// The answer is sent, or the connection broke.
private func completeRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, why: MHD_RequestTerminationCode
) {
    guard let daemon = daemon(context), let connection,
        let conversation = conversation(place?.pointee)
    else { return }
    place?.pointee = nil
    conversation.complete(statusOfLibrary: Int(onesheet_queued_status(connection)), in: daemon)
}

private func notifyConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    what: MHD_ConnectionNotificationCode
) {
    guard let daemon = daemon(context), let connection, let place else { return }
    switch what {
    case .CONNECTION_NOTIFY_STARTED:
        place.pointee = Unmanaged.passRetained(daemon.accepted(connection)).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let context = place.pointee else { return }
        place.pointee = nil
        let conversation = Unmanaged<Conversation>.fromOpaque(context).takeRetainedValue()
        daemon.connections.close(conversation.client)
    @unknown default: break
    }
}
