/// The chunk of size zero that ends a chunked body.
let lastChunk = Array("0\r\n\r\n".utf8)

/// Bytes as chunks of at most 4 KiB, without the last one.
func chunks(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var position = 0
    while position < bytes.count {
        let end = min(position + 4096, bytes.count)
        out += chunkHead(end - position) + bytes[position..<end] + [13, 10]
        position = end
    }
    return out
}

private func chunkHead(_ count: Int) -> [UInt8] {
    Array("\(String(count, radix: 16))\r\n".utf8)
}

// Bodies whose framing lies.
extension Misbehaviour {
    /// How many bytes of an endless body go out at once.
    private static let pieceBytes = 64 << 10

    /// Bodies that end early, or in an unusual way.
    func end(by fault: Fault) -> Ending {
        let length = Answer.Framing.length(answer.body.count)
        switch fault {
        case .short(let count):
            return send(answer.head(length), body(count), .close)
        case .cut(let count):
            return send(answer.head(.untilClose), body(count), .close)
        case .http10(let withLength):
            let framing = withLength ? length : .none
            return send(answer.head(framing, version: "HTTP/1.0"), answer.body, .close)
        case .chunked:
            return send(answer.head(.chunked), chunks(answer.body) + lastChunk, .keepOpen)
        case .brokenChunks(let kind, let count):
            return send(answer.head(.chunked), brokenChunks(kind, after: count), .close)
        case .reset(let count, let withLength):
            return send(answer.head(withLength ? length : .untilClose), body(count), .reset)
        default:
            return .close
        }
    }

    private func brokenChunks(_ kind: Fault.ChunkBreak, after count: Int) -> [UInt8] {
        let sent = body(count)
        switch kind {
        case .inData: return chunkHead(sent.count + 1000) + sent
        case .afterChunk: return chunks(sent)
        case .beforeLastCRLF: return chunks(answer.body) + lastChunk.dropLast(2)
        case .badSize: return chunks(sent) + Array("xyz\r\n".utf8) + body(16) + [13, 10]
        }
    }

    /// Bodies that are longer than they should be, or whose length is told wrongly or twice.
    func misframe(_ fault: Fault) -> Ending {
        let body = answer.body
        switch fault {
        case .endless(let isChunked):
            guard socket.send(answer.head(isChunked ? .chunked : .untilClose)) else {
                return .close
            }
            return fill(Self.endlessBytes, inChunks: isChunked)
        case .oversized(let length):
            guard socket.send(answer.head(.length(length))) else { return .close }
            return fill(min(length, Self.endlessBytes), inChunks: false)
        case .excess(let count):
            let more = [UInt8](repeating: UInt8(ascii: "x"), count: min(count, Self.endlessBytes))
            return send(answer.head(.length(body.count)), body + more, .keepOpen)
        case .contentLength(let values):
            return send(answer.head(.lengths(values)), body, .close)
        case .lengthAndChunks:
            let length: [Header] = [("Content-Length", String(body.count))]
            return send(answer.head(.chunked, extra: length), chunks(body) + lastChunk, .close)
        default:
            return .close
        }
    }

    /// Sends the body and zeros after it, so that what is too long begins as a true image.
    private func fill(_ total: Int, inChunks: Bool) -> Ending {
        var piece = body(total)
        var sent = 0
        while sent < total {
            if piece.isEmpty {
                piece = [UInt8](repeating: 0, count: min(Self.pieceBytes, total - sent))
            }
            guard socket.send(inChunks ? chunks(piece) : piece) else { return .close }
            sent += piece.count
            piece = []
        }
        return .close
    }
}
