import Glibc

extension JPEGWalk {
    /// Reads the next marker, with the fill bytes that may precede it. Bytes before it that are
    /// none, and stuffed bytes, are passed over as libjpeg does (`jdmarker.c`, `next_marker`), and
    /// kept from the decoder.
    mutating func marker(
        in bytes: [UInt8], at position: inout Int
    ) throws(ImageError) -> UInt8 {
        let start = position
        while true {
            let first = bytes[position...].firstIndex(of: 0xFF) ?? bytes.endIndex
            position = bytes[first...].firstIndex { $0 != 0xFF } ?? bytes.endIndex
            guard position < bytes.endIndex else { throw Self.endless(bytes) }
            let marker = bytes[position]
            position += 1
            guard marker != 0 else { continue }
            if first > start { try repairs.replace(start..<first, with: []) }
            return marker
        }
    }

    /// The payload of the segment whose length field is at `position`.
    static func segment(
        in bytes: [UInt8], at position: Int, marker: UInt8
    ) throws(ImageError) -> ArraySlice<UInt8> {
        guard position + 2 <= bytes.count else { throw endless(bytes) }
        let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let name = String(marker, radix: 16, uppercase: true)
        guard length >= 2 else {
            throw .corrupt(.jpeg, "segment FF\(name) at byte \(position - 2) has length \(length)")
        }
        guard position + length <= bytes.count else {
            throw .truncated(
                .jpeg,
                "segment FF\(name) at byte \(position - 2) needs \(length) bytes, "
                    + "\(bytes.count - position) are there")
        }
        return bytes[position + 2..<position + length]
    }

    /// Where the marker after a scan's entropy-coded data begins: `FF 00` is a stuffed byte and
    /// `FF D0`…`FF D7` are restarts, which belong to the data.
    static func endOfScan(in bytes: [UInt8], from start: Int) throws(ImageError) -> Int {
        let end = bytes.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            var position = start
            // memchr, because it looks at 32 bytes at a time: a scan is nearly all of the file.
            while position < bytes.count - 1,
                let found = memchr(base + position, 0xFF, bytes.count - 1 - position)
            {
                position = UnsafeRawPointer(found) - base
                switch bytes[position + 1] {
                case 0x00, 0xD0...0xD7: position += 2
                case 0xFF: position += 1
                default: return position
                }
            }
            return nil
        }
        guard let end else { throw endless(bytes) }
        return end
    }

    private static func endless(_ bytes: [UInt8]) -> ImageError {
        .truncated(.jpeg, "no end of image in \(bytes.count) bytes")
    }

    static func kind(ofFrame marker: UInt8) -> String {
        switch marker {
        case 0xC3, 0xC7, 0xCB, 0xCF: "lossless JPEG"
        default: "hierarchical JPEG"
        }
    }
}
