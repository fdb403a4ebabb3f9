/// What a `Range` header asks of a body (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// All of it: no header, one that is malformed, another unit, or several ranges.
    case whole
    /// One part, at least one byte.
    case part(Range<Int>)
    /// One range, none of whose bytes exist.
    case unsatisfiable

    /// Reads a header for a body of `length` bytes.
    init(_ header: String?, length: Int) {
        guard let header, let spec = Self.singleSpec(header),
            let dash = spec.firstIndex(of: UInt8(ascii: "-"))
        else {
            self = .whole
            return
        }
        let (first, last) = (spec[..<dash], spec[spec.index(after: dash)...])
        switch (Self.position(first), Self.position(last)) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (let first?, nil) where last.isEmpty:
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let suffix?) where first.isEmpty:
            self =
                suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        default: self = .whole
        }
    }

    /// The one range of `bytes=…`; `nil` when there are several or the unit is another.
    private static func singleSpec(_ header: String) -> Substring.UTF8View? {
        let bytes = header.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            header[..<equals].lowercased() == "bytes"
        else { return nil }
        var spec = header[bytes.index(after: equals)...].utf8
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        spec = spec.drop(while: isSpace)
        while let last = spec.last, isSpace(last) { spec.removeLast() }
        return spec.contains(UInt8(ascii: ",")) ? nil : spec
    }

    /// Digits as a number; so many that they overflow stand for the largest.
    private static func position(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(Substring(digits)) ?? .max - 1
    }
}
