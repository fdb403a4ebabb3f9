/// Checks that bytes are one JSON text (RFC 8259) whose outermost value is an object or an array,
/// without building anything.
///
/// It costs a walk over the bytes and no recursion, so that a hostile depth or length costs no
/// more than an honest one.
struct JSONSyntax {
    /// The deepest nesting: what Foundation's decoder takes, too.
    static let maxDepth = 512

    /// What is wrong with `bytes`; `nil` when nothing is.
    static func fault(in bytes: [UInt8]) -> String? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return "it is not UTF-8" }
        return bytes.withUnsafeBufferPointer { buffer in
            var walk = JSONSyntax(bytes: buffer)
            return walk.run()
        }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// The containers that are open, outermost first: `true` is an object.
    private var open: [Bool] = []

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func run() -> String? {
        skipSpace()
        guard let first = peek, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return "it begins with no object or array"
        }
        repeat {
            guard takeValue(), takeWhatFollows() else {
                return open.count > Self.maxDepth
                    ? "it is nested deeper than \(Self.maxDepth)" : "no JSON at byte \(position)"
            }
        } while !open.isEmpty
        skipSpace()
        return position == bytes.count ? nil : "more after its end, at byte \(position)"
    }

    /// Takes a scalar, or opens containers down to the first member.
    private mutating func takeValue() -> Bool {
        while true {
            skipSpace()
            switch peek {
            case UInt8(ascii: "{"):
                guard begin(isObject: true) else { return false }
                if take("}") { return close() }
                guard takeName() else { return false }
            case UInt8(ascii: "["):
                guard begin(isObject: false) else { return false }
                if take("]") { return close() }
            case UInt8(ascii: "\""): return takeString()
            case UInt8(ascii: "t"): return take("true")
            case UInt8(ascii: "f"): return take("false")
            case UInt8(ascii: "n"): return take("null")
            default: return takeNumber()
            }
        }
    }

    /// After a value: closes containers until a comma leads to the next one, or all are closed.
    private mutating func takeWhatFollows() -> Bool {
        while let isObject = open.last {
            skipSpace()
            if take(",") { return isObject ? takeName() : true }
            guard take(isObject ? "}" : "]") else { return false }
            _ = close()
        }
        return true
    }

    private mutating func begin(isObject: Bool) -> Bool {
        position += 1
        open.append(isObject)
        skipSpace()
        return open.count <= Self.maxDepth
    }

    private mutating func close() -> Bool {
        open.removeLast()
        return true
    }

    private mutating func takeName() -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: "\""), takeString() else { return false }
        skipSpace()
        return take(":")
    }

    private mutating func takeString() -> Bool {
        position += 1
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard takeEscape() else { return false }
            case 0..<0x20: return false
            default: continue
            }
        }
        return false
    }

    private mutating func takeEscape() -> Bool {
        guard let byte = peek else { return false }
        position += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        for _ in 0..<4 {
            guard let digit = peek, Character(Unicode.Scalar(digit)).isHexDigit else {
                return false
            }
            position += 1
        }
        return true
    }

    private mutating func takeNumber() -> Bool {
        _ = take("-")
        if !take("0") { guard takeDigits() else { return false } }
        if take(".") { guard takeDigits() else { return false } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return takeDigits()
        }
        return true
    }

    private mutating func takeDigits() -> Bool {
        let start = position
        while let byte = peek, 0x30...0x39 ~= byte { position += 1 }
        return position > start
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != word.utf8Start[index] {
            return false
        }
        position += length
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D {
            position += 1
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
}
