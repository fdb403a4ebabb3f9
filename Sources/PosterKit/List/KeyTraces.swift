/// Finds the API's key in an answer, should the API echo it: as it is, percent-encoded, escaped as
/// JSON or HTML does, in hexadecimal, or within base64 (of `Bearer KEY`, say, in which the key has
/// one of three spellings).
///
/// A key of under eight bytes is not looked for: it may be a word that an answer holds by chance.
struct KeyTraces: Sendable {
    private static let leastLength = 8
    /// How often an answer is decoded again: an echo may be encoded several times over.
    private static let rounds = 4

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

    /// Whether the key is in `bytes`.
    func areIn(_ bytes: [UInt8]) -> Bool {
        guard !spellings.isEmpty else { return false }
        var bytes = bytes
        for _ in 0..<Self.rounds {
            if holds(bytes) { return true }
            // An echo may be broken into lines.
            let joined = bytes.filter { $0 > 0x20 }
            if joined.count < bytes.count, holds(joined) { return true }
            let decoded = Self.decoded(bytes)
            if decoded.count == bytes.count { return false }
            bytes = decoded
        }
        return holds(bytes)
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

    /// The same with one layer of escapes undone: `%41`, `\u0041`, `\/` and its kin, `&#65;`,
    /// `&#x41;`. What is no escape stays. Every escape becomes shorter.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                if let value = number(rest.prefix(2), radix: 16, digits: 2...2) {
                    out.append(UInt8(truncatingIfNeeded: value))
                    rest = rest.dropFirst(2)
                } else {
                    out.append(byte)
                }
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { return out + [byte] }
                if next | 0x20 == UInt8(ascii: "u"),
                    let value = number(rest.prefix(4), radix: 16, digits: 4...4)
                {
                    append(value, to: &out)
                    rest = rest.dropFirst(4)
                } else if "bfnrt".utf8.contains(next) {
                    out.append(0x20)
                } else {
                    out.append(next)
                }
            case UInt8(ascii: "&"):
                let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: ";") }.prefix(8)
                let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
                let value = number(
                    isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10, digits: 1...7)
                if rest.first == UInt8(ascii: "#"), let value,
                    rest.dropFirst(1 + digits.count).first == UInt8(ascii: ";")
                {
                    append(value, to: &out)
                    rest = rest.dropFirst(digits.count + 2)
                } else {
                    out.append(byte)
                }
            default: out.append(byte)
            }
        }
        return out
    }

    private static func append(_ scalar: Int, to bytes: inout [UInt8]) {
        // Keys go into a header, so that they are ASCII: other characters are all the same.
        bytes.append(scalar < 0x80 ? UInt8(scalar) : 0x3F)
    }

    private static func number(
        _ digits: ArraySlice<UInt8>, radix: Int, digits count: ClosedRange<Int>
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
