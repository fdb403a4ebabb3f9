import PosterBase

/// Writes the heads of a thread's answers, one after the other, into the same memory.
struct ResponseHead {
    /// The head that was written last.
    private(set) var bytes: [UInt8] = []
    private var date: [UInt8] = []
    private var dateSecond = Int64.min

    init() { bytes.reserveCapacity(2048) }

    /// What an answer says of its connection.
    enum Persistence {
        /// Nothing: it goes on, as HTTP/1.1 has it.
        case goesOn
        /// It goes on, which an HTTP/1.0 client must be told.
        case isKept
        /// It ends.
        case ends
    }

    /// Writes the head of `response`, which is sent at `now`.
    mutating func write(_ response: Response, _ persistence: Persistence, at now: Timestamp) {
        if now.seconds != dateSecond {
            date = Array("\r\nDate: \(HTTPDate.format(now))\r\n".utf8)
            dateSecond = now.seconds
        }
        bytes.removeAll(keepingCapacity: true)
        append("HTTP/1.1 ")
        append(response.status)
        append(" ")
        append(Response.reason(response.status))
        bytes.append(contentsOf: date)
        if !response.isBodiless {
            append("Content-Length: ")
            append(response.body.count)
            append("\r\n")
        }
        switch persistence {
        case .goesOn: break
        case .isKept: append("Connection: keep-alive\r\n")
        case .ends: append("Connection: close\r\n")
        }
        bytes.append(contentsOf: response.fields.bytes)
        append("\r\n")
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(_ number: Int) {
        var (divisor, rest) = (1, number)
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
