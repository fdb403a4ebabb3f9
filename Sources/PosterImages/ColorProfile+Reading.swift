import CPNG

/// How a profile is found in a picture.
extension ColorProfile {
    /// Puts a profile together that comes in APP2 segments (ICC.1:2022, annex B.4). Each of `parts`
    /// begins with its number, from 1, and with how many there are. As for libjpeg
    /// (`jdicc.c`), every number must be there once, and all must tell the same count.
    init?(jpegParts parts: [ArraySlice<UInt8>]) {
        let size = parts.reduce(0) { $0 + $1.count - 2 }
        guard size > 0, size <= Self.limit else { return nil }
        var bodies = [ArraySlice<UInt8>?](repeating: nil, count: parts.count)
        for part in parts {
            let (number, count) = (Int(part[part.startIndex]), Int(part[part.startIndex + 1]))
            guard count == parts.count, (1...count).contains(number), bodies[number - 1] == nil
            else { return nil }
            bodies[number - 1] = part.dropFirst(2)
        }
        self.init(bodies.flatMap { $0 ?? [] })
    }

    /// Reads an `iCCP` chunk (W3C PNG, section 11.3.2.3): a name, the method, and the profile,
    /// deflated. As for libpng, a profile counts when it has come as far as its own header says,
    /// though its zlib stream be cut behind it or have a wrong checksum.
    init?(chunk: ArraySlice<UInt8>) {
        guard let end = chunk.prefix(80).firstIndex(of: 0), end + 2 < chunk.endIndex,
            chunk[end + 1] == 0
        else { return nil }
        let found = Inflation.start(of: Array(chunk[(end + 2)...]), limit: Self.limit)
        var size = found.bytes.count
        if !found.isWhole {
            let stated = found.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard stated <= size else { return nil }
            size = stated
        }
        self.init(Array(found.bytes.prefix(size)))
    }

    /// What a `cICP` chunk says of the numbers' meaning (W3C PNG, section 11.3.2.6; its code points
    /// are those of ITU-T H.273).
    enum CodePoints: Equatable {
        /// sRGB's primaries and curve.
        case sRGB
        /// Other ones, that a profile can describe.
        case profile(ColorProfile)
    }

    /// Reads a `cICP` chunk; `nil` where the chunk is not read: for the curves of HDR (PQ and HLG),
    /// which no profile of primaries and curves can describe, for rare primaries, and for numbers
    /// that do not use all of their range.
    static func codePoints(chunk: ArraySlice<UInt8>, for space: Space) -> CodePoints? {
        let fields = Array(chunk)
        guard fields.count == 4, fields[2] == 0, fields[3] == 1 else { return nil }
        if fields[1] == 13, fields[0] == 1 || space == .grey { return .sRGB }
        guard space == .rgb, let primaries = primaries[fields[0]], let curve = curves[fields[1]]
        else { return nil }
        let profile = ColorProfile(primaries: primaries, curve: curve)
        return .profile(profile)
    }

    /// Red, green and blue in XYZ, adapted to D50 with Bradford's matrix, by H.273's numbers:
    /// BT.709, BT.2020 and Display P3.
    private static let primaries: [UInt8: [Double]] = [
        1: [
            0.436075, 0.222504, 0.013932, 0.385065, 0.716879, 0.097105, 0.143080, 0.060617,
            0.714173,
        ],
        9: [
            0.673459, 0.279033, -0.001931, 0.165661, 0.675338, 0.029979, 0.125100, 0.045629,
            0.797162,
        ],
        12: [
            0.515102, 0.241182, -0.001049, 0.291965, 0.692236, 0.041882, 0.157153, 0.066582,
            0.784378,
        ],
    ]

    /// A `para` curve's form and parameters (ICC.1:2022, section 10.18), by H.273's numbers: BT.709
    /// and its likes, a power of 2.2 or 2.8, linear light, and sRGB's.
    private static let curves: [UInt8: [Double]] = {
        let camera = [3, 1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081]
        return [
            1: camera, 6: camera, 14: camera, 15: camera, 4: [0, 2.2], 5: [0, 2.8], 8: [0, 1],
            13: [3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045],
        ]
    }()

    /// Writes the smallest profile of primaries and one curve that readers take (ICC.1:2022, section
    /// 8.3.3): a description, a copyright, the white point, and what they are adapted from.
    private init(primaries: [Double], curve: [Double]) {
        func number(_ value: Int, bytes count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        func fixed(_ values: some Sequence<Double>) -> [UInt8] {
            values.flatMap { number(Int(($0 * 65536).rounded())) }
        }
        func text(_ text: String) -> [UInt8] {
            let head = Array("mluc".utf8) + [0, 1, 12].flatMap { number($0) }
            return head + Array("enUS".utf8) + number(2 * text.utf8.count) + number(28)
                + text.utf8.flatMap { [0, $0] }
        }
        func xyz(_ values: some Sequence<Double>) -> [UInt8] {
            Array("XYZ ".utf8) + number(0) + fixed(values)
        }
        let white = [0.9642, 1, 0.8249]
        // From D65, by Bradford's matrix.
        let adaptation = [
            1.047882, 0.022919, -0.050217, 0.029587, 0.990479, -0.017059, -0.009232, 0.015076,
            0.751678,
        ]
        var parametric = Array("para".utf8) + number(0)
        parametric += number(Int(curve[0]), bytes: 2) + number(0, bytes: 2)
        parametric += fixed(curve.dropFirst())
        let tags: [(String, [UInt8])] = [
            ("desc", text("cICP")), ("cprt", text("CC0")), ("wtpt", xyz(white)),
            ("chad", Array("sf32".utf8) + number(0) + fixed(adaptation)),
            ("rXYZ", xyz(primaries[0..<3])), ("gXYZ", xyz(primaries[3..<6])),
            ("bXYZ", xyz(primaries[6..<9])), ("rTRC", parametric), ("gTRC", parametric),
            ("bTRC", parametric),
        ]
        var (table, body) = (number(tags.count), [UInt8]())
        let start = 128 + 4 + 12 * tags.count
        for (name, data) in tags {
            table += Array(name.utf8)
            table += number(start + body.count) + number(data.count)
            body += data
            body += zeros((4 - data.count % 4) % 4)
        }
        var header = number(start + body.count) + number(0) + number(0x0440_0000)
        header += Array("mntrRGB XYZ ".utf8)
        header += zeros(12)
        header += Array("acsp".utf8)
        header += zeros(28)
        header += fixed(white)
        header += zeros(48)
        bytes = header + table + body
        space = .rgb
    }
}
