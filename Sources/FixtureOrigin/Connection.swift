/// One client: reads requests and answers them in order, until either side ends it.
struct Connection {
    /// A head longer than this is answered 431.
    private static let longestHead = 64 << 10
    /// A request body longer than this ends the connection; nothing here takes one.
    private static let longestBody = 1 << 20
    /// How long the next request may be away.
    private static let idleLimit = Duration.seconds(60)

    let socket: Socket
    /// Counted from 1 by the order of acceptance.
    let number: Int
    let site: Site

    /// Blocks until the connection is over. The descriptor is left to the caller.
    func serve() {
        if answerAll() == .reset {
            socket.resetOnClose()
        } else {
            // A child process that inherited the descriptor must not keep the connection open.
            socket.shutDown()
        }
    }

    private func answerAll() -> Misbehaviour.Ending {
        var unread: [UInt8] = []
        while let head = nextHead(&unread) {
            guard let request = Request(head: head) else {
                _ = socket.send(Answer(status: 400).head(.untilClose))
                return .close
            }
            guard skipBody(of: request, &unread) else { return .close }
            let ending = answer(request)
            guard ending == .keepOpen, request.keepsAlive else { return ending }
        }
        return .close
    }

    private func answer(_ request: Request) -> Misbehaviour.Ending {
        if request.path.hasPrefix(ControlRoutes.prefix) {
            let answer = ControlRoutes(site: site).answer(to: request)
            return socket.send(answer.bytes(for: request)) ? .keepOpen : .close
        }
        let path = request.path
        site.record.add(request, connection: number)
        site.record.waitIfHeld(path)
        guard site.latency == .zero || socket.pause(site.latency) else { return .close }
        let fault = site.rules.next(for: path)
        return Misbehaviour(
            request: request, answer: site.routes.answer(to: request), socket: socket
        ).perform(fault)
    }

    /// The next head without its empty line; nil when none comes.
    private func nextHead(_ unread: inout [UInt8]) -> [UInt8]? {
        var searched = 0
        while true {
            if let end = endOfHead(in: unread, from: searched) {
                let head = Array(unread[..<end])
                unread.removeFirst(end + 4)
                return head
            }
            guard unread.count <= Self.longestHead else {
                _ = socket.send(Answer(status: 431).head(.untilClose))
                return nil
            }
            searched = max(unread.count - 3, 0)
            guard let more = socket.receive(atMost: Self.idleLimit) else { return nil }
            unread += more
        }
    }

    /// Reads past the body, so that the next head begins where it should.
    private func skipBody(of request: Request, _ unread: inout [UInt8]) -> Bool {
        guard let length = request.header("content-length") else { return true }
        guard let length = Int(length), (0...Self.longestBody).contains(length) else {
            return false
        }
        while unread.count < length {
            guard let more = socket.receive(atMost: Self.idleLimit) else { return false }
            unread += more
        }
        unread.removeFirst(length)
        return true
    }
}

private func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for position in start..<max(bytes.count - 3, start)
    where bytes[position] == 13 && bytes[position + 1] == 10
        && bytes[position + 2] == 13 && bytes[position + 3] == 10
    {
        return position
    }
    return nil
}
