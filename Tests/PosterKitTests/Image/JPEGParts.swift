/// A JPEG taken apart at its markers, so that a test can change one part and put it together again.
struct JPEGParts {
    /// One marker with its segment, and for a scan with the entropy-coded data behind it.
    struct Part {
        let marker: UInt8
        /// What follows the length field.
        var payload: [UInt8]
        /// Entropy-coded data; none but behind a scan header.
        var data: [UInt8] = []

        var bytes: [UInt8] {
            guard marker != 0xD9 else { return [0xFF, marker] }
            let length = payload.count + 2
            return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload + data
        }
    }

    /// The parts behind SOI, up to EOI.
    var parts: [Part] = []
    /// What stands before each part that belongs to none, by the part's index.
    var stray: [Int: [UInt8]] = [:]

    /// Takes a whole and correct picture apart; what follows EOI is dropped.
    init(_ jpeg: [UInt8]) {
        var position = 2
        while position + 1 < jpeg.count {
            let marker = jpeg[position + 1]
            guard marker != 0xD9 else { break }
            let length = Int(jpeg[position + 2]) << 8 | Int(jpeg[position + 3])
            var part = Part(
                marker: marker, payload: Array(jpeg[position + 4..<position + 2 + length]))
            position += 2 + length
            if marker == 0xDA {
                let start = position
                while jpeg[position] != 0xFF || jpeg[position + 1] == 0
                    || 0xD0...0xD7 ~= jpeg[position + 1]
                {
                    position += 1
                }
                part.data = Array(jpeg[start..<position])
            }
            parts.append(part)
        }
        parts.append(Part(marker: 0xD9, payload: []))
    }

    /// The index of the first scan's header.
    var firstScan: Int { parts.firstIndex { $0.marker == 0xDA } ?? 0 }

    /// The frame's marker.
    var frame: UInt8 {
        parts.first { [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains($0.marker) }?.marker ?? 0
    }

    /// The whole file.
    var bytes: [UInt8] {
        parts.indices.reduce([0xFF, 0xD8]) { $0 + (stray[$1] ?? []) + parts[$1].bytes }
    }
}
