/// The members of a JSON object, as they are written: for what changes some of them and passes the
/// others on byte for byte.
///
/// For bytes that are JSON; of others it gives nothing, or members that are none, and never reads
/// past their end.
package struct JSONMembers {
    /// One member.
    package struct Member {
        /// What stands between the quotation marks, escapes as they are.
        package let name: ArraySlice<UInt8>
        /// The value, without the space around it.
        package let value: ArraySlice<UInt8>
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// The members of the object that `bytes` hold, in order; `nil` where they hold none.
    package static func of(_ bytes: ArraySlice<UInt8>) -> [Member]? {
        var reader = JSONMembers(bytes: bytes, position: bytes.startIndex)
        reader.skipSpace()
        guard reader.take("{") else { return nil }
        var members: [Member] = []
        reader.skipSpace()
        while !reader.take("}") {
            guard let member = reader.takeMember() else { return nil }
            members.append(member)
            reader.skipSpace()
            if reader.take(",") { reader.skipSpace() }
        }
        return members
    }

    private mutating func takeMember() -> Member? {
        guard let name = takeString() else { return nil }
        skipSpace()
        guard take(":") else { return nil }
        skipSpace()
        guard let value = takeValue() else { return nil }
        return Member(name: name.dropFirst().dropLast(), value: value)
    }

    /// A string with its quotation marks.
    private mutating func takeString() -> ArraySlice<UInt8>? {
        let start = position
        guard take("\"") else { return nil }
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return bytes[start..<position] }
            if byte == UInt8(ascii: "\\") { position += 1 }
        }
        return nil
    }

    private mutating func takeValue() -> ArraySlice<UInt8>? {
        let start = position
        var depth = 0
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard takeString() != nil else { return nil }
                if depth == 0 { return bytes[start..<position] }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object that a number or a word stands in.
                guard depth > 0 else { return position > start ? bytes[start..<position] : nil }
                depth -= 1
                guard depth > 0 else {
                    position += 1
                    return bytes[start..<position]
                }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return position > start ? bytes[start..<position] : nil }
            default: break
            }
            position += 1
        }
        return nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            position += 1
        }
    }
}
