/// What a JPEG says of itself, learnt by walking all its markers from SOI to EOI before a decoder
/// sees it (ITU-T T.81, annex B).
///
/// A decoder believes the frame header and allocates for it, and redoes the whole picture for
/// every scan; this walk is linear in the bytes, allocates nothing that grows with them, and
/// refuses what goes over the limits. It proves nothing of the entropy-coded data: that takes a
/// decode.
///
/// What stands before the first scan counts, as for libjpeg, browsers and Pillow: by then a decoder
/// knows what the components mean, and has handed out the metadata.
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

    /// What to change in the bytes before a decoder gets them.
    var repairs = JPEGRepairs()

    private var profileParts: [ArraySlice<UInt8>] = []
    private var componentIDs: [UInt8] = []
    private var entropyBytes = 0
    /// libjpeg keeps all coefficients until the last scan has come.
    private var isBuffered = false
    private var isProgressive = false
    private var isJFIF = false
    private var adobeTransform: UInt8?
    /// Where ``adobeTransform`` stands.
    private var adobePosition = 0
    private var hasExif = false

    /// Walks `bytes`, which begin as a JPEG does. Bytes after EOI are allowed: cameras and editors
    /// leave them.
    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        var position = 2
        while true {
            let marker = try marker(in: bytes, at: &position)
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

    /// The least that a decoder must shrink the picture to fit into memory: 1 or 2.
    ///
    /// libjpeg keeps the coefficients of a picture that may come in several scans, two bytes each.
    /// Beside them a whole 20-megapixel picture in 4:4:4 would take 180 MB. The file itself, a copy of
    /// its longest scan and a mask for each block take up to 24 MB more.
    var leastReduction: Int { isBuffered && samples * 3 > 128 << 20 ? 2 : 1 }

    /// The samples of all components.
    var samples: Int {
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
            isProgressive = marker == 0xC2 || marker == 0xCA
            isBuffered = isProgressive
            try readFrame(segment, limits)
        case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:
            throw .unsupported(Self.kind(ofFrame: marker))
        case 0xF7: throw .unsupported("JPEG-LS")
        case 0xDA:
            guard width > 0 else { throw .corrupt(.jpeg, "a scan before the frame header") }
            if scans == 0 { try findColor() }
            scans += 1
            try repairScanHeader(segment)
            if scans > 1 || Int(segment.first ?? 0) != sampling.count { isBuffered = true }
        case 0xE0 where segment.count >= 14 && segment.starts(with: "JFIF\0".utf8):
            if scans == 0 { isJFIF = true }
            // libjpeg reads the version of every such segment.
            let major = segment.startIndex + 5
            if segment[major] != 1 { try repairs.replace(major..<major + 1, with: [1]) }
        case _ where scans > 0: break
        case 0xE1 where !hasExif && segment.starts(with: "Exif\0\0".utf8):
            hasExif = true
            orientation = Orientation(tiff: segment.dropFirst(6))
        case 0xE2 where segment.count >= 14 && segment.starts(with: "ICC_PROFILE\0".utf8):
            profileParts.append(segment.dropFirst(12))
        case 0xEE where segment.count >= 12 && segment.starts(with: "Adobe".utf8):
            adobePosition = segment.startIndex + 11
            adobeTransform = segment[adobePosition]
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
        profile = ColorProfile(jpegParts: profileParts)?
            .needed(by: sampling.count == 1 ? .grey : .rgb)
        profileParts = []
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

    /// A sequential scan holds all coefficients whole (T.81, B.2.3); decoders look at nothing else.
    private mutating func repairScanHeader(_ segment: ArraySlice<UInt8>) throws(ImageError) {
        let count = Int(segment.first ?? 0)
        let selection: [UInt8] = [0, 63, 0]
        guard !isProgressive, (1...4).contains(count), segment.count == 4 + 2 * count,
            segment.suffix(3) != selection[...]
        else { return }
        try repairs.replace(segment.endIndex - 3..<segment.endIndex, with: selection)
    }

    private mutating func findColor() throws(ImageError) {
        switch sampling.count {
        case 1: color = .grey
        case 4:
            color = (adobeTransform ?? 0) == 0 ? .cmyk : .ycck
            if color == .ycck { try repairTransform(to: 2) }
        default:
            if isJFIF {
                color = .yCbCr
            } else if let adobeTransform {
                color = adobeTransform == 0 ? .rgb : .yCbCr
                if color == .yCbCr { try repairTransform(to: 1) }
            } else {
                color = componentIDs.elementsEqual("RGB".utf8) ? .rgb : .yCbCr
            }
        }
    }

    private mutating func repairTransform(to known: UInt8) throws(ImageError) {
        guard adobeTransform != known else { return }
        try repairs.replace(adobePosition..<adobePosition + 1, with: [known])
    }
}
