/// One client's connection: what its serving thread knows of it. No other thread has it.
final class Connection {
    /// The socket; the connection's to close, once, by ``EventLoop/close(_:aborting:)``.
    let socket: Int32
    /// Its place in the thread's table, and which of the place's connections it is: a number that
    /// outlives the connection finds no other.
    let key: UInt64
    /// The peer's address; `nil` for a peer that has none.
    let peer: ClientAddress?
    /// Whether it counts towards the limit of its client.
    let isCounted: Bool

    private(set) var phase = ConnectionPhase.head
    /// Whether the socket is closed.
    var isClosed = false
    /// When the phase has lasted too long, in milliseconds; `.max`: never.
    var deadline = Int64.max
    /// The first moment at which the timer wheel has the connection.
    var timer = Int64.max

    /// Whether the socket may have bytes, or the end, that have not been read.
    var mayRead = false
    /// Whether the socket may take bytes.
    var mayWrite = true
    /// Whether the client has ended its side: after what is there comes the end.
    var hasPeerEnded = false
    /// Whether it waits for its turn though no event will come for it.
    var isQueued = false

    /// What was received and not yet read: part of a head, or requests that wait for their turn.
    var input: [UInt8] = []
    /// Reads the request that arrives, and keeps its head until it has been answered.
    var parser = HeadParser()
    /// Takes the answer, while the handler makes it.
    var responder: Responder?
    /// When the head was whole, in milliseconds.
    var began: Int64 = 0

    /// The answer on its way.
    var response: Response?
    /// Its head, where not all of it has been sent.
    var headRest: ArraySlice<UInt8> = []
    /// Bytes of its body that are to be sent, and that have been.
    var (bodyLength, bodySent) = (0, 0)
    /// Whether the connection ends with it.
    var endsAfterResponse = false

    /// When it is given up though the client has not taken everything, in milliseconds.
    var closingDeadline = Int64.max
    /// Bytes that were received and thrown away since the last answer.
    var discarded = 0

    init(socket: Int32, key: UInt64, peer: ClientAddress?, isCounted: Bool) {
        self.socket = socket
        self.key = key
        self.peer = peer
        self.isCounted = isCounted
    }

    /// Goes on to a phase.
    func enter(_ phase: ConnectionPhase, _ counts: PhaseCounts) {
        counts.add(-1, to: self.phase)
        counts.add(1, to: phase)
        self.phase = phase
    }
}

/// A thread's connections, by their keys.
struct ConnectionTable {
    private var places: [Connection?] = []
    private var generations: [UInt32] = []
    private var free: [Int] = []

    /// The key for the next connection that is put in.
    mutating func reserveKey() -> UInt64 {
        if free.isEmpty {
            free.append(places.count)
            places.append(nil)
            generations.append(0)
        }
        let place = free[free.count - 1]
        return UInt64(generations[place]) << 32 | UInt64(place)
    }

    /// Puts a connection in under the key that was reserved for it.
    mutating func insert(_ connection: Connection) {
        free.removeLast()
        places[Self.place(connection.key)] = connection
    }

    /// Takes a connection out. Its key finds nothing from now on.
    mutating func remove(_ connection: Connection) {
        let place = Self.place(connection.key)
        places[place] = nil
        generations[place] &+= 1
        free.append(place)
    }

    /// The connection with a key, if it is still there.
    subscript(key: UInt64) -> Connection? {
        let place = Self.place(key)
        guard place < places.count, let connection = places[place], connection.key == key else {
            return nil
        }
        return connection
    }

    var isEmpty: Bool { free.count == places.count }

    /// All connections.
    var all: [Connection] { places.compactMap { $0 } }

    private static func place(_ key: UInt64) -> Int { Int(key & 0xFFFF_FFFF) }
}
