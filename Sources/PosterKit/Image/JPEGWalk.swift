import Glibc

/// What a JPEG says of itself, learnt by walking all its markers from SOI to EOI before a decoder
/// sees it (ITU-T T.81, annex B).
///
/// A decoder believes the frame header and allocates for it, and redoes the whole picture for
/// every scan; this walk is linear in the bytes, allocates nothing that grows with them, and
/// refuses what goes over the limits. It proves nothing of the entropy-coded data: that takes a
/// decode.
struct JPEGWalk: Equatable, Sendable {
    /// What the components mean, by libjpeg's rules (`jdapimin.c`): JFIF, then Adobe, then ids.
    enum Color: Sendable { case grey, yCbCr, rgb, cmyk, ycck }

    /// A component's samples for each block of the frame's coarsest component.
    struct Sampling: Equatable, Sendable {
        let horizontal: Int
        let vertical: Int
    }

    /// Pixels a row, as stored.
    private(set) var width = 0
    /// Rows, as stored.
    private(set) var height = 0
    /// What the components mean.
    private(set) var color = Color.grey
    /// One a component.
    private(set) var sampling: [Sampling] = []
    /// How many times the entropy-coded data pass over the picture.
    private(set) var scans = 0
    /// Whether the entropy-coded data are arithmetic, not Huffman codes.
    private(set) var isArithmetic = false
    /// What the first EXIF segment says; upright where there is none.
    private(set) var orientation = Orientation.upright

    /// An embedded profile that the pixels' numbers need; `nil` for sRGB, none, or ink.
    private(set) var profile: ColorProfile?

    private var profileParts: [Int: ArraySlice<UInt8>] = [:]
    private var componentIDs: [UInt8] = []
    private var entropyBytes = 0
    /// libjpeg keeps all coefficients until the last scan has come.
    private var isBuffered = false
    private var isJFIF = false
    private var adobeTransform: UInt8?
    private var hasExif = false

    /// Walks `bytes`. Bytes after EOI are allowed: cameras and editors leave them.
    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        var position = 2
        while true {
            let marker = try Self.marker(in: bytes, at: &position)
            switch marker {
            case 0xD9:
                try finish(limits, bytes: bytes.count)
                return
            case 0xD8: throw .corrupt(.jpeg, "a second start of image at byte \(position - 2)")
            case 0x01, 0xD0...0xD7: continue
            default: break
            }
            let segment = try Self.segment(in: bytes, at: position, marker: marker)
            position = segment.endIndex
            try read(marker, segment, limits)
            guard marker == 0xDA else { continue }
            let start = position
            position = try Self.endOfScan(in: bytes, from: start)
            entropyBytes += position - start
        }
    }

    /// The subsampling in the terms of a plane decoder; `nil` for a layout out of the ordinary.
    var chromaSubsampling: Sampling? {
        guard sampling.count == 3, sampling[1] == sampling[2],
            sampling[1] == Sampling(horizontal: 1, vertical: 1)
        else { return nil }
        switch (sampling[0].horizontal, sampling[0].vertical) {
        case (1, 1), (2, 1), (2, 2), (1, 2), (4, 1): return sampling[0]
        default: return nil
        }
    }

    /// The least that a decoder must shrink the picture for want of memory: 1 or 2.
    ///
    /// libjpeg keeps the coefficients of a picture that may come in several scans, two bytes each.
    /// Beside them a whole 20-megapixel picture in 4:4:4 would take 180 MB.
    var leastReduction: Int { isBuffered && samples * 3 > 144 << 20 ? 2 : 1 }

    /// The samples of all components.
    private var samples: Int {
        let finest = (
            sampling.map(\.horizontal).max() ?? 1, sampling.map(\.vertical).max() ?? 1
        )
        return sampling.reduce(0) {
            $0 + width * height * $1.horizontal * $1.vertical / (finest.0 * finest.1)
        }
    }

    private mutating func read(
        _ marker: UInt8, _ segment: ArraySlice<UInt8>, _ limits: ImageLimits
    ) throws(ImageError) {
        switch marker {
        case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
            isArithmetic = marker >= 0xC9
            isBuffered = marker == 0xC2 || marker == 0xCA
            try readFrame(segment, limits)
        case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:
            throw .unsupported(Self.kind(ofFrame: marker))
        case 0xF7: throw .unsupported("JPEG-LS")
        case 0xDA:
            guard width > 0 else { throw .corrupt(.jpeg, "a scan before the frame header") }
            scans += 1
            if scans > 1 || Int(segment.first ?? 0) != sampling.count { isBuffered = true }
        case 0xE0 where segment.count >= 12 && segment.starts(with: "JFIF\0".utf8): isJFIF = true
        case 0xE1 where !hasExif && segment.starts(with: "Exif\0\0".utf8):
            hasExif = true
            orientation = Orientation(tiff: segment.dropFirst(6))
        case 0xE2 where segment.count > 14 && segment.starts(with: "ICC_PROFILE\0".utf8):
            // Parts are numbered from 1 (ICC.1:2022, annex B.4).
            profileParts[Int(segment[segment.startIndex + 12])] = segment.dropFirst(14)
        case 0xEE where segment.count >= 12 && segment.starts(with: "Adobe".utf8):
            adobeTransform = segment[segment.startIndex + 11]
        default: break
        }
    }

    private mutating func readFrame(
        _ segment: ArraySlice<UInt8>, _ limits: ImageLimits
    ) throws(ImageError) {
        guard sampling.isEmpty else { throw .corrupt(.jpeg, "a second frame header") }
        let header = Array(segment)
        guard header.count >= 6, header.count == 6 + 3 * Int(header[5]) else {
            throw .corrupt(.jpeg, "a frame header of \(header.count) bytes")
        }
        guard header[0] == 8 else { throw .unsupported("JPEG with \(header[0]) bits a sample") }
        height = Int(header[1]) << 8 | Int(header[2])
        width = Int(header[3]) << 8 | Int(header[4])
        try limits.check(width: width, height: height)
        guard [1, 3, 4].contains(header[5]) else {
            throw .unsupported("JPEG with \(header[5]) components")
        }
        for component in stride(from: 6, to: header.count, by: 3) {
            let factors = Sampling(
                horizontal: Int(header[component + 1] >> 4),
                vertical: Int(header[component + 1] & 15))
            guard (1...4).contains(factors.horizontal), (1...4).contains(factors.vertical) else {
                throw .corrupt(
                    .jpeg, "sampling factors \(factors.horizontal)×\(factors.vertical)")
            }
            componentIDs.append(header[component])
            sampling.append(factors)
        }
    }

    private mutating func finish(_ limits: ImageLimits, bytes: Int) throws(ImageError) {
        guard scans > 0 else { throw .corrupt(.jpeg, "it ends without a picture") }
        guard scans <= limits.scans else { throw .tooManyScans(scans, limit: limits.scans) }
        guard scans * width * height <= limits.scannedPixels else {
            throw .tooMuchScanning(
                scans: scans, width: width, height: height, limit: limits.scannedPixels)
        }
        guard !isBuffered || samples <= limits.coefficients else {
            throw .tooManyCoefficients(samples, limit: limits.coefficients)
        }
        if isArithmetic { try checkArithmetic(limits, bytes: bytes) }
        findColor()
        let size = profileParts.values.reduce(0) { $0 + $1.count }
        if size > 0, size <= ColorProfile.limit {
            let whole = (1...profileParts.count).flatMap { profileParts[$0] ?? [] }
            profile = ColorProfile(whole)?.needed(by: sampling.count == 1 ? .grey : .rgb)
        }
    }

    private func checkArithmetic(_ limits: ImageLimits, bytes: Int) throws(ImageError) {
        guard bytes <= limits.arithmeticBytes else {
            throw .tooManyBytes(bytes, limit: limits.arithmeticBytes)
        }
        let likely = limits.arithmeticPixels + limits.arithmeticPixelsPerByte * entropyBytes
        guard width * height <= likely else {
            throw .tooLittleData(entropyBytes, width: width, height: height, limit: likely)
        }
    }

    private mutating func findColor() {
        switch sampling.count {
        case 1: color = .grey
        case 4: color = (adobeTransform ?? 0) == 0 ? .cmyk : .ycck
        default:
            if isJFIF {
                color = .yCbCr
            } else if let adobeTransform {
                color = adobeTransform == 0 ? .rgb : .yCbCr
            } else {
                color = componentIDs.elementsEqual("RGB".utf8) ? .rgb : .yCbCr
            }
        }
    }
}

extension JPEGWalk {
    /// Reads the marker at `position`, with the fill bytes that may precede it.
    private static func marker(
        in bytes: [UInt8], at position: inout Int
    ) throws(ImageError) -> UInt8 {
        guard position < bytes.count else { throw endless(bytes) }
        guard bytes[position] == 0xFF else {
            throw .corrupt(.jpeg, "no marker where one must be, at byte \(position)")
        }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { throw endless(bytes) }
        let marker = bytes[position]
        guard marker != 0 else {
            throw .corrupt(.jpeg, "no marker where one must be, at byte \(position - 1)")
        }
        position += 1
        return marker
    }

    /// The payload of the segment whose length field is at `position`.
    private static func segment(
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
    private static func endOfScan(in bytes: [UInt8], from start: Int) throws(ImageError) -> Int {
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

    private static func kind(ofFrame marker: UInt8) -> String {
        switch marker {
        case 0xC3, 0xC7, 0xCB, 0xCF: "lossless JPEG"
        default: "hierarchical JPEG"
        }
    }
}
