import CPNG

/// What a PNG says of itself, learnt by walking all its chunks from IHDR to IEND before a decoder
/// sees it (W3C PNG, third edition, section 5).
///
/// ``pixelStream`` is the same picture with only the chunks that pixels need and all image data in
/// one chunk: text, animation and whatever else hides in a PNG never reach the decoder.
struct PNGWalk: Equatable, Sendable {
    /// Pixels a row, as stored.
    private(set) var width = 0
    /// Rows, as stored.
    private(set) var height = 0
    /// What an `eXIf` chunk says; upright where there is none.
    private(set) var orientation = Orientation.upright
    /// An embedded profile that the pixels' numbers need; `nil` for sRGB, or none.
    private(set) var profile: ColorProfile?
    /// Its rows come in the seven passes of Adam7.
    private(set) var isInterlaced = false
    /// It has 16 bits a sample.
    private(set) var isWide = false
    /// It has an alpha channel, or colours that are transparent.
    private(set) var isClear = false
    /// A whole PNG stream for the decoder.
    private(set) var pixelStream: [UInt8] = []

    private var isPalette = false
    private var bitsPerPixel = 0
    private var isGrey = false
    /// Something says more of the numbers' meaning than `gAMA` and `sRGB` do.
    private var hasProfile = false
    private var auxiliary: [Chunk] = []
    private var meanings: [Chunk] = []
    private var seen: Set<String> = []
    private var imageData: [UInt8] = []

    private struct Chunk: Equatable {
        let name: String
        let body: ArraySlice<UInt8>
        let start: Int
        let isIntact: Bool

        /// By the case of the first letter; only what is not may be skipped.
        var isCritical: Bool { name.utf8.first.map { $0 & 0x20 == 0 } ?? true }
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Walks `bytes`. Bytes after IEND are allowed.
    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        pixelStream = Self.signature
        pixelStream.reserveCapacity(bytes.count + 64)
        var position = Self.signature.count
        var previous = ""
        while previous != "IEND" {
            let chunk = try Self.chunk(in: bytes, at: position)
            position = chunk.body.endIndex + 4
            try read(chunk, after: previous, limits)
            previous = chunk.name
        }
        guard !imageData.isEmpty else { throw .corrupt(.png, "it holds no image data") }
        if isPalette, !seen.contains("PLTE") { throw .corrupt(.png, "it lacks its palette") }
        try inflateImageData()
        readProfile()
        // A profile says more than these do (section 4.3): with one, the numbers stay as they are.
        for chunk in auxiliary where !(hasProfile && ["gAMA", "sRGB"].contains(chunk.name)) {
            append(chunk.name, chunk.body)
        }
        append("IDAT", imageData[...])
        append("IEND", [])
        (auxiliary, imageData) = ([], [])
    }

    private mutating func read(
        _ chunk: Chunk, after previous: String, _ limits: ImageLimits
    ) throws(ImageError) {
        if previous == "" { return try readHeader(chunk, limits) }
        if chunk.isCritical, !chunk.isIntact {
            throw .corrupt(.png, "wrong checksum of the \(chunk.name) chunk at byte \(chunk.start)")
        }
        switch chunk.name {
        case "IDAT":
            guard !seen.contains("IDAT") || previous == "IDAT" else {
                throw .corrupt(.png, "image data in two places, again at byte \(chunk.start)")
            }
            seen.insert("IDAT")
            imageData += chunk.body
        case "IEND": break
        case "PLTE":
            guard seen.isDisjoint(with: ["PLTE", "IDAT"]) else {
                throw .corrupt(.png, "a misplaced palette at byte \(chunk.start)")
            }
            seen.insert("PLTE")
            auxiliary.append(chunk)
        case "IHDR": throw .corrupt(.png, "a second header at byte \(chunk.start)")
        case _ where chunk.isCritical: throw .unsupported("PNG with a \(chunk.name) chunk")
        case "tRNS", "gAMA", "sRGB":
            guard chunk.isIntact, !seen.contains("IDAT"), seen.insert(chunk.name).inserted else {
                return
            }
            auxiliary.append(chunk)
            if chunk.name == "tRNS" { isClear = true }
        case "iCCP", "cICP":
            guard chunk.isIntact, seen.isDisjoint(with: [chunk.name, "PLTE", "IDAT"]) else {
                return
            }
            seen.insert(chunk.name)
            meanings.append(chunk)
        case "eXIf":
            guard chunk.isIntact, seen.insert(chunk.name).inserted else { return }
            orientation = Orientation(tiff: chunk.body)
        default: break
        }
    }

    private mutating func readHeader(_ chunk: Chunk, _ limits: ImageLimits) throws(ImageError) {
        if chunk.name == "CgBI" { throw .unsupported("Apple's private form of PNG (CgBI)") }
        guard chunk.name == "IHDR", chunk.body.count == 13 else {
            throw .corrupt(.png, "it does not begin with its header")
        }
        guard chunk.isIntact else { throw .corrupt(.png, "wrong checksum of the header") }
        let header = Array(chunk.body)
        width = Self.number(header[0..<4])
        height = Self.number(header[4..<8])
        try limits.check(width: width, height: height)
        let depths: [UInt8] =
            switch header[9] {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: []
            }
        guard depths.contains(header[8]) else {
            throw .corrupt(.png, "colour type \(header[9]) with \(header[8]) bits")
        }
        guard header[10] == 0, header[11] == 0, header[12] <= 1 else {
            throw .corrupt(
                .png, "compression \(header[10]), filter \(header[11]), interlace \(header[12])")
        }
        isPalette = header[9] == 3
        let channels = [2: 3, 4: 2, 6: 4][header[9]] ?? 1
        bitsPerPixel = Int(header[8]) * channels
        isInterlaced = header[12] == 1
        isWide = header[8] == 16
        isGrey = header[9] & 2 == 0
        isClear = header[9] & 4 != 0
        guard rawBytes <= limits.inflatedBytes else {
            throw .tooManyInflatedBytes(rawBytes, limit: limits.inflatedBytes)
        }
        append("IHDR", chunk.body)
    }

    /// Refuses image data that inflate to more than the pixels need. libpng inflates what is left
    /// behind the last row, all of it: eight gigabytes where 8 MiB hold nothing else.
    ///
    /// What is inflated here is not inflated again: the decoder gets it stored, unless that would
    /// take much memory.
    private mutating func inflateImageData() throws(ImageError) {
        let limit = rawBytes
        let size: Int?
        if limit <= Self.storedBytes {
            let stored = Inflation.stored(imageData, limit: limit)
            if let stored { imageData = stored.stream }
            size = stored?.size
        } else {
            // Deflate makes at most 1032 bytes of one (zlib's technical notes).
            guard imageData.count * 1032 > limit + Self.harmlessExcess else { return }
            size = Inflation.size(of: imageData, limit: limit)
        }
        guard let size, size > limit else { return }
        throw .corrupt(.png, "its image data inflate to more than \(limit) bytes")
    }

    /// The most that the decoder gets stored: four times a poster of 500×750.
    private static let storedBytes = 4 << 20

    /// Bytes that may be inflated for nothing: fewer than an honest giant has.
    private static let harmlessExcess = 32 << 20

    /// The bytes that the pixels and the filter byte before each row take, in all passes
    /// (W3C PNG, section 7.2 and 8.1).
    private var rawBytes: Int {
        let passes =
            isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                (1, 0, 2, 2), (0, 1, 1, 2),
            ] : [(0, 0, 1, 1)]
        return passes.reduce(0) { sum, pass in
            let columns = (width - pass.0).over(pass.2)
            let rows = (height - pass.1).over(pass.3)
            guard columns > 0, rows > 0 else { return sum }
            return sum + rows * (1 + (columns * bitsPerPixel).over(8))
        }
    }

    /// Reads `cICP`, which goes before all else (section 4.3), and `iCCP`.
    private mutating func readProfile() {
        let space = isGrey ? ColorProfile.Space.grey : .rgb
        defer { meanings = [] }
        let points = meanings.first { $0.name == "cICP" }.flatMap {
            ColorProfile.codePoints(chunk: $0.body, for: space)
        }
        if let points {
            hasProfile = true
            if case .profile(let found) = points { profile = found.needed(by: space) }
        } else if let chunk = meanings.first(where: { $0.name == "iCCP" }),
            let found = ColorProfile(chunk: chunk.body)
        {
            hasProfile = true
            profile = found.needed(by: space)
        }
    }

    private mutating func append(_ name: String, _ body: ArraySlice<UInt8>) {
        Self.append(name, body, to: &pixelStream)
    }
}

extension PNGWalk {
    /// Appends a chunk: length, name, body, checksum (W3C PNG, section 5.3).
    static func append(_ name: String, _ body: ArraySlice<UInt8>, to stream: inout [UInt8]) {
        let start = stream.count + 4
        stream.append(contentsOf: bytes(of: UInt32(truncatingIfNeeded: body.count)))
        stream.append(contentsOf: name.utf8)
        stream.append(contentsOf: body)
        let sum = checksum(stream[start...])
        stream.append(contentsOf: bytes(of: sum))
    }

    private static func chunk(in bytes: [UInt8], at start: Int) throws(ImageError) -> Chunk {
        guard start + 12 <= bytes.count else {
            throw .truncated(.png, "no end of image in \(bytes.count) bytes")
        }
        let length = number(bytes[start..<start + 4])
        let letters = bytes[start + 4..<start + 8]
        guard letters.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
            throw .corrupt(.png, "no chunk where one must be, at byte \(start)")
        }
        let name = String(decoding: letters, as: UTF8.self)
        guard length <= bytes.count - start - 12 else {
            throw .truncated(
                .png,
                "the \(name) chunk at byte \(start) needs \(length) bytes, "
                    + "\(bytes.count - start - 12) are there")
        }
        let body = start + 8..<start + 8 + length
        let sum = number(bytes[body.endIndex..<body.endIndex + 4])
        let isIntact = Int(checksum(bytes[start + 4..<body.endIndex])) == sum
        return Chunk(name: name, body: bytes[body], start: start, isIntact: isIntact)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count))
        }
    }
}
