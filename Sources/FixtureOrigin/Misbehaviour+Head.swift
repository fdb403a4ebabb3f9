// Heads that are no heads.
extension Misbehaviour {
    func send(_ bomb: Fault.HeaderBomb) -> Ending {
        let lines: String
        switch bomb {
        case .longLine:
            lines = "X-Long: " + String(repeating: "a", count: 200_000) + "\r\n"
        case .manyLines:
            let value = String(repeating: "a", count: 88)
            lines = (0..<5000).map { "X-Line-\($0): \(value)\r\n" }.joined()
        case .endless:
            return endlessHead()
        case .nul:
            lines = "X-Nul: a\u{0}b\r\n"
        case .noColon:
            lines = "this line has no colon\r\n"
        case .folded:
            lines = "X-Folded: one\r\n two\r\n"
        }
        // The lines come before the final CRLF of a head that is right otherwise.
        let head = answer.head(.length(answer.body.count)).dropLast(2)
        return send(head + Array("\(lines)\r\n".utf8), answer.body, .close)
    }

    private func endlessHead() -> Ending {
        guard socket.send(Array("HTTP/1.1 200 OK\r\n".utf8)) else { return .close }
        let lines = Array(
            (0..<1000).map { "X-Endless: \($0)\r\n" }.joined().utf8)
        var sent = 0
        while sent < Self.endlessBytes {
            guard socket.send(lines) else { break }
            sent += lines.count
        }
        return .close
    }

    func send(_ kind: Fault.NotHTTP) -> Ending {
        let length = Answer.Framing.length(answer.body.count)
        switch kind {
        case .http09:
            return send([], answer.body, .close)
        case .icy:
            return send(answer.head(length, version: "ICY"), answer.body, .close)
        case .garbage:
            return send([0x00, 0xFF, 0x13, 0x37] + Array(" 200 OK\r\n\r\n".utf8), body(64), .close)
        case .emptyReply:
            return .close
        }
    }

    func send(_ status: Int, times count: Int) -> Ending {
        let head = Answer(status: status).head(.none)
        for _ in 0..<count {
            guard socket.send(head) else { return .close }
        }
        return perform(.normal)
    }
}
