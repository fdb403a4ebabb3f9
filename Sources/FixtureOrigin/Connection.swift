/// One client: reads requests and answers them in order, until either side ends it.
struct Connection {
    /// A head longer than this is answered 431.
    private static let longestHead = 64 << 10
    /// A request body longer than this ends the connection.
    private static let longestBody = 16 << 20
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
            guard var request = Request(head: head) else {
                _ = socket.send(Answer(status: 400).head(.untilClose))
                return .close
            }
            guard let body = body(of: request, &unread) else { return .close }
            request.body = body
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
        let isThere = site.latency == .zero || socket.pause(site.latency)
        site.record.noteAnswer()
        guard isThere else { return .close }
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

    /// Reads the body, so that the next head begins where it should; nil when it does not come.
    private func body(of request: Request, _ unread: inout [UInt8]) -> [UInt8]? {
        guard let length = request.header("content-length") else { return [] }
        guard let length = Int(length), (0...Self.longestBody).contains(length) else {
            return nil
        }
        if request.header("expect")?.lowercased() == "100-continue", unread.isEmpty {
            guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
        }
        while unread.count < length {
            guard let more = socket.receive(atMost: Self.idleLimit) else { return nil }
            unread += more
        }
        let body = Array(unread.prefix(length))
        unread.removeFirst(length)
        return body
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
