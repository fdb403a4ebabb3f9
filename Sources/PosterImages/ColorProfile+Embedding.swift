import CPNG

/// How a profile lies in an encoded picture, for each format that is made. Each function takes what
/// the encoder of its format here has written, and nothing else.
extension ColorProfile {
    /// A picture with this profile.
    func embedded(in picture: [UInt8], _ format: ImageFormat) throws(ImageError) -> [UInt8] {
        switch format {
        case .jpeg: inJPEG(picture)
        case .png: try inPNG(picture)
        case .webp: inWebP(picture)
        }
    }

    /// As one APP2 segment (ICC.1:2022, annex B.4), behind SOI and JFIF, whose length is 16.
    private func inJPEG(_ jpeg: [UInt8]) -> [UInt8] {
        let place = 20
        let segment = Array("ICC_PROFILE\0".utf8) + [1, 1] + bytes
        let length = segment.count + 2
        return jpeg[..<place] + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + segment
            + jpeg[place...]
    }

    /// As an `iCCP` chunk (W3C PNG, section 11.3.2.3) in the place of `sRGB`, which libpng puts
    /// right behind the header.
    private func inPNG(_ png: [UInt8]) throws(ImageError) -> [UInt8] {
        var size = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&packed, &size, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK
        else { throw .codec("no memory to compress a profile") }
        let body = Array("icc\0".utf8) + [0] + packed[..<Int(size)]
        let (headerEnd, claimEnd) = (33, 46)
        let hasClaim = png[headerEnd...].dropFirst(4).starts(with: "sRGB".utf8)
        var made = Array(png[..<headerEnd])
        PNGWalk.append("iCCP", body[...], to: &made)
        return made + png[(hasClaim ? claimEnd : headerEnd)...]
    }

    /// As an `ICCP` chunk (RFC 9649, section 2.7.1.4), which needs the extended form of file.
    private func inWebP(_ webp: [UInt8]) -> [UInt8] {
        let (fileHeader, chunkHeader, extended) = (12, 8, 10)
        var chunks = Array(webp[fileHeader...])
        if !chunks.starts(with: "VP8X".utf8) {
            // The picture's sides are in the frame's header (RFC 6386, section 9.1).
            let sides = [14, 16].map { (Int(chunks[$0]) | Int(chunks[$0 + 1]) << 8) & 0x3FFF }
            let fields = sides.flatMap { Self.littleEndian($0 - 1).prefix(3) }
            chunks =
                Array("VP8X".utf8) + Self.littleEndian(extended) + [0, 0, 0, 0] + fields + chunks
        }
        let hasProfile: UInt8 = 0x20
        chunks[chunkHeader] |= hasProfile
        let place = chunkHeader + extended
        let profile = Array("ICCP".utf8) + Self.littleEndian(bytes.count) + bytes
        let padding = [UInt8](repeating: 0, count: bytes.count & 1)
        chunks.insert(contentsOf: profile + padding, at: place)
        return Array("RIFF".utf8) + Self.littleEndian(chunks.count + 4) + Array("WEBP".utf8)
            + chunks
    }

    private static func littleEndian(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
