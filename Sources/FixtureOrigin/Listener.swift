import Glibc

/// The loopback port: accepts connections, gives each a thread, and can end them all.
final class Listener: Sendable {
    private struct State {
        var socket: Socket?
        var open: [Int: Socket] = [:]
        var accepted = 0
    }

    /// Connections beyond this are closed at once.
    private static let mostConnections = 1024

    /// The port, the same for the listener's whole life.
    let port: UInt16
    private let state: Locked<State>
    private let acceptors = ThreadGroup()
    private let connections = ThreadGroup()
    private let site: Site

    init(port: UInt16, site: Site) throws(OriginError) {
        let (socket, port) = try Socket.listen(port: port)
        self.port = port
        self.site = site
        state = Locked(State(socket: socket))
        try startAccepting(on: socket)
    }

    /// Connections accepted since the start.
    var acceptedConnections: Int { state.read { $0.accepted } }

    /// Connections that are open now.
    var openConnections: Int { state.read { $0.open.count } }

    /// Blocks until at most that many connections are open; false when the limit passes.
    func waitUntilOpen(atMost count: Int, limit: Duration) -> Bool {
        state.wait(atMost: limit) { $0.open.count <= count }
    }

    /// Closes the port and breaks off every connection.
    func close() {
        let socket = state.change { state in
            let socket = state.socket
            state.socket = nil
            for connection in state.open.values { connection.shutDown() }
            return socket
        }
        guard let socket else { return }
        socket.shutDown()
        acceptors.joinAll()
        socket.close()
    }

    /// Opens the same port again; nothing when it is open.
    func reopen() throws(OriginError) {
        guard state.read({ $0.socket == nil }) else { return }
        let (socket, _) = try Socket.listen(port: port)
        state.change { $0.socket = socket }
        try startAccepting(on: socket)
    }

    /// Blocks until no connection's thread is left. Held requests must have been released.
    func joinConnections() {
        connections.joinAll()
    }

    private func startAccepting(on socket: Socket) throws(OriginError) {
        let isStarted = acceptors.start {
            while let connection = socket.accept() { self.admit(connection) }
        }
        guard isStarted else { throw .cannotListen(port: port, code: EAGAIN) }
    }

    private func admit(_ socket: Socket) {
        let number = state.change { state -> Int? in
            guard state.socket != nil, state.open.count < Self.mostConnections else { return nil }
            state.accepted += 1
            state.open[state.accepted] = socket
            return state.accepted
        }
        guard let number else { return socket.close() }
        let isStarted = connections.start {
            Connection(socket: socket, number: number, site: self.site).serve()
            self.dismiss(number)
        }
        if !isStarted { dismiss(number) }
    }

    /// Closes under the lock, so that `close()` never shuts down a descriptor reused.
    private func dismiss(_ number: Int) {
        state.change { state in
            state.open.removeValue(forKey: number)?.close()
        }
    }
}
