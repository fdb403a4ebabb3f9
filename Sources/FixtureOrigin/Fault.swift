/// A way for the origin to misbehave at one path.
///
/// Each case bends the answer that would have been given; its line says what it proves about a
/// client. Numbers of bytes count the body. Whatever has no end stops when the peer leaves, when
/// the origin stops, or at `Misbehaviour.endlessBytes` and `Misbehaviour.endlessTime`.
enum Fault: Sendable {
    // Only the cases that need it are indirect: Leak Sanitizer does not see through the tagged
    // pointers of an enum that is indirect as a whole, and calls every table of faults a leak.

    /// The usual answer: the good turn in a sequence.
    case normal

    // Answers that are well formed.

    /// Another status: that each one means what it should, with `Retry-After` and the like.
    case status(Int, headers: [Header] = [], body: [UInt8]? = nil)
    /// A redirect, its `Location` verbatim: that none leads to another scheme, host or port.
    case redirect(Int = 302, to: String)
    /// The usual answer with these headers instead: weak tags, other ages, look-alikes.
    case headers([Header])
    /// The right bytes under another label, or under none: that bytes decide, not names.
    case contentType(String?)
    /// A page of HTML as `image/jpeg`, status 200: that a captive portal is no poster.
    case html
    /// Status 200 and no byte: that nothing is not stored as something.
    case empty
    /// A 206 without a range request, with the first half of the body.
    case partial
    /// A 200 to every conditional request: that an unchanged poster may also come whole.
    case ignoresConditional
    /// A label of this `Content-Encoding` on bytes as they are: that no encoding is trusted.
    case encoding(String)
    /// The body as true gzip, stored: that what was not asked for is refused.
    case gzip
    /// A small gzip body that swells to this many bytes: that inflation has a limit.
    case gzipBomb(bytes: Int)

    // Time.

    /// The next fault after a while: that slow but honest is no failure, and what deadlines do.
    indirect case delay(Duration, then: Fault = .normal)
    /// Silence; before the head, or after that many bytes: that first byte and stall are timed.
    case hang(after: Int? = nil)
    /// The body in small pieces: that trickling does not reset a limit. Endless repeats the body.
    case drip(bytes: Int, every: Duration, endless: Bool = false)

    // The end of the body.

    /// `Content-Length` of the whole, closed early: that a short body is noticed.
    case short(after: Int)
    /// No length, closed early: that only a whole decode proves a body complete.
    case cut(after: Int)
    /// The whole body from HTTP/1.0, with a length or ended by the close: that both are read.
    case http10(withLength: Bool = false)
    /// The whole body in chunks: that chunks are read.
    case chunked
    /// Chunks that end wrongly after that many bytes: that no cut passes for an end.
    case brokenChunks(ChunkBreak, after: Int)
    /// A TCP reset after that many bytes: that a torn connection stores nothing.
    case reset(after: Int, withLength: Bool = true)
    /// A reset in answer to the request, before any byte: that refusal is no answer.
    case refused
    /// A body without end: that bytes are counted where no length limits them.
    case endless(chunked: Bool = true)
    /// A body filled up to that length, as `Content-Length` says: that length is limited.
    case oversized(length: Int)
    /// That many bytes more than `Content-Length`, connection kept: that it is not reused.
    case excess(Int)
    /// The whole body under these `Content-Length` values: conflicting, negative, no numbers.
    case contentLength([String])
    /// Chunks with a `Content-Length` too: that two framings are refused (request smuggling).
    case lengthAndChunks

    // The head.

    /// A head that is too much, or not well formed: that heads are limited and checked.
    case headerBomb(HeaderBomb)
    /// Something other than HTTP/1.x: that garbage is an error and no poster.
    case notHTTP(NotHTTP)
    /// That many 1xx answers before the usual one: that they are skipped, but not for ever.
    case informational(Int = 103, count: Int)

    // More than one.

    /// One after another, a request each, then as usual: that a retry sees the next one.
    case sequence([Fault])
    /// A fault in so many of a hundred requests, as drawn from `seed`: that flapping is survived.
    indirect case flapping(Fault, percent: Int, seed: UInt64 = 1)

    /// Where a chunked body goes wrong.
    enum ChunkBreak: String, Sendable, CaseIterable {
        /// The connection ends inside a chunk's data.
        case inData = "in-data"
        /// The connection ends after a whole chunk, without the last one.
        case afterChunk = "after-chunk"
        /// The last chunk comes, its final CRLF does not.
        case beforeLastCRLF = "before-last-crlf"
        /// A chunk's size is no hexadecimal number.
        case badSize = "bad-size"
    }

    /// What is wrong with the lines of a head. The usual body follows.
    enum HeaderBomb: String, Sendable, CaseIterable {
        /// One line of 200,000 bytes.
        case longLine = "long-line"
        /// 5,000 lines, half a megabyte.
        case manyLines = "many-lines"
        /// Lines without end.
        case endless
        /// A NUL in a value.
        case nul
        /// A line without a colon.
        case noColon = "no-colon"
        /// A value folded over two lines (obsolete since RFC 7230).
        case folded
    }

    /// What comes instead of HTTP/1.x.
    enum NotHTTP: String, Sendable, CaseIterable {
        /// The bare body, as HTTP/0.9 had it.
        case http09 = "http-0.9"
        /// A status line that begins with `ICY`.
        case icy
        /// A status line of random bytes.
        case garbage
        /// The connection closed without a byte.
        case emptyReply = "empty-reply"
    }
}

extension Fault {
    /// What happens to the request with this number, counted from 0: no sequence and no flapping.
    func turn(_ number: Int) -> Fault {
        switch self {
        case .sequence(let faults):
            return number < faults.count ? faults[number].turn(0) : .normal
        case .flapping(let fault, let percent, let seed):
            return draw(seed: seed, number: number) % 100 < percent ? fault.turn(number) : .normal
        case .delay(let duration, let next):
            return .delay(duration, then: next.turn(number))
        default:
            return self
        }
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): the same draw for the same place every time.
private func draw(seed: UInt64, number: Int) -> Int {
    var bits = seed &+ UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((bits ^ (bits >> 31)) >> 1)
}
