import PosterBase
import PosterFetch

/// Finds the API's key in an answer, should the API echo it: as it is, percent-encoded, escaped as
/// JSON or HTML does, in hexadecimal, or within base64 (of `Bearer KEY`, say, in which the key has
/// one of three spellings).
///
/// A key of under eight bytes is not looked for: it may be a word that an answer holds by chance.
struct KeyTraces: Sendable {
    private static let leastLength = 8
    /// An echo may be encoded several times over: how many layers are undone, and how many texts
    /// are looked at before the answer counts as one that holds the key.
    private static let layers = 4
    private static let mostTexts = 24

    /// In lower case; compared without regard to case.
    private let spellings: [[UInt8]]
    /// Compared as they are.
    private let codings: [[UInt8]]

    init(_ key: Secret) {
        let bytes = Array(key.revealed.utf8)
        guard bytes.count >= Self.leastLength else {
            (spellings, codings) = ([], [])
            return
        }
        let hexadecimal = bytes.flatMap { byte in
            Array(String(0x100 + Int(byte), radix: 16).utf8.dropFirst())
        }
        spellings = [bytes.map(Self.lowercased), hexadecimal]
        codings = (0..<3).flatMap { shift in
            let core = Self.base64Core(of: bytes, after: shift)
            let other = core.map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            return [core, other]
        }
    }

    /// Whether the key is in `text`.
    func areIn(_ text: String) -> Bool { areIn(Array(text.utf8)) }

    /// Whether the key is in `bytes`, or they are encoded so often that it cannot be told.
    func areIn(_ bytes: [UInt8]) -> Bool {
        guard !spellings.isEmpty else { return false }
        var texts = [bytes]
        var count = 0
        for _ in 0...Self.layers {
            var decoded: [[UInt8]] = []
            for text in texts {
                count += 1
                guard count <= Self.mostTexts else { return true }
                if holds(text) { return true }
                // An echo may be broken into lines.
                let joined = text.filter { $0 > 0x20 }
                if joined.count < text.count, holds(joined) { return true }
                for escape in Escape.allCases {
                    let next = escape.undone(in: text)
                    // Every escape is longer than what it stands for.
                    if next.count < text.count, !decoded.contains(next) { decoded.append(next) }
                }
            }
            texts = decoded
        }
        return false
    }

    private func holds(_ bytes: [UInt8]) -> Bool {
        if codings.contains(where: { Self.contains(bytes, $0) }) { return true }
        let lower = bytes.map(Self.lowercased)
        return spellings.contains { Self.contains(lower, $0) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        0x41...0x5A ~= byte ? byte | 0x20 : byte
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= bytes.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            part.withUnsafeBufferPointer { part in
                for start in 0...bytes.count - part.count where bytes[start] == first {
                    var length = 1
                    while length < part.count, bytes[start + length] == part[length] { length += 1 }
                    if length == part.count { return true }
                }
                return false
            }
        }
    }

    /// The characters of base64 (RFC 4648, section 4) that depend on nothing but `bytes`, where
    /// `shift` other bytes come before them in a group of three.
    private static func base64Core(of bytes: [UInt8], after shift: Int) -> [UInt8] {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let all = [UInt8](repeating: 0, count: shift) + bytes
        let first = (shift * 8 + 5) / 6
        return (first..<all.count * 8 / 6).map { index in
            let bit = index * 6
            let pair =
                Int(all[bit / 8]) << 8 | (bit / 8 + 1 < all.count ? Int(all[bit / 8 + 1]) : 0)
            return alphabet[pair >> (10 - bit % 8) & 0x3F]
        }
    }
}

/// A way to write a character as several.
private enum Escape: CaseIterable {
    /// `%41`
    case percent
    /// `\u0041`, `\/` and its kin.
    case json
    /// `&#65;`, `&#x41;`
    case html

    private var mark: UInt8 {
        switch self {
        case .percent: UInt8(ascii: "%")
        case .json: UInt8(ascii: "\\")
        case .html: UInt8(ascii: "&")
        }
    }

    /// The same with one layer of it undone. What is no escape stays.
    func undone(in bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(mark) else { return bytes }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == mark, let (character, length) = character(at: rest) else {
                out.append(byte)
                continue
            }
            out.append(character)
            rest = rest.dropFirst(length)
        }
        return out
    }

    /// What an escape stands for whose mark has been read, and how many bytes more it takes.
    private func character(at rest: ArraySlice<UInt8>) -> (UInt8, length: Int)? {
        switch self {
        case .percent: return Self.number(rest.prefix(2), 16, 2...2).map { (Self.ascii($0), 2) }
        case .json:
            guard let kind = rest.first else { return nil }
            if kind == UInt8(ascii: "u"),
                let code = Self.number(rest.dropFirst().prefix(4), 16, 4...4)
            {
                return (Self.ascii(code), 5)
            }
            return ("bfnrt".utf8.contains(kind) ? 0x20 : kind, 1)
        case .html:
            guard rest.first == UInt8(ascii: "#") else { return nil }
            let digits = rest.dropFirst().prefix(9).prefix { $0 != UInt8(ascii: ";") }
            guard rest.dropFirst(1 + digits.count).first == UInt8(ascii: ";") else { return nil }
            let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
            return Self.number(isHex ? digits.dropFirst() : digits, isHex ? 16 : 10, 1...8)
                .map { (Self.ascii($0), digits.count + 2) }
        }
    }

    /// A key goes into a header, so that it is ASCII: other characters are all the same.
    private static func ascii(_ code: Int) -> UInt8 { code < 0x80 ? UInt8(code) : 0x3F }

    private static func number(
        _ digits: ArraySlice<UInt8>, _ radix: Int, _ count: ClosedRange<Int>
    ) -> Int? {
        guard count.contains(digits.count), digits.first != UInt8(ascii: "+"),
            digits.first != UInt8(ascii: "-")
        else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}

extension FetchError {
    /// The same without anything that the API wrote: what it sends may hold the key, and errors
    /// go to clients, logs and the pauses that processes share.
    func withoutQuotation(_ key: KeyTraces) -> FetchError {
        let detail: String
        switch reason {
        case .framing: detail = "the answer breaks HTTP's rules"
        case .encoded: detail = "the answer has a content coding"
        case .tooLarge: detail = "the answer is over the limit"
        case .shortBody: detail = "fewer bytes than announced"
        default: detail = key.areIn(self.detail) ? "" : self.detail
        }
        return FetchError(reason, detail, retryAfterSeconds: retryAfterSeconds)
    }
}
