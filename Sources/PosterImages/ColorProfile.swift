import Glibc

/// An embedded colour profile (ICC.1:2022), of which a thumbnail needs to know one thing: whether
/// its numbers mean something else than sRGB's, so that the profile must go with them.
///
/// It is kept as it is and never applied: the viewer does that, and nothing here has to trust it.
struct ColorProfile: Equatable, Sendable {
    /// What a profile's numbers are of.
    enum Space: String, Sendable {
        /// One channel.
        case grey = "GRAY"
        /// Three channels.
        case rgb = "RGB "
    }

    /// The profile, whole.
    let bytes: [UInt8]
    /// What its numbers are of.
    let space: Space

    /// The most that is kept: what one JPEG segment can hold beside its name. Real RGB profiles
    /// have 0.5 to 4 kB; those of a hundred describe printers.
    static let limit = 65_519

    /// `nil` for what cannot be kept: a profile of another space, one that is cut or too large.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 132, bytes.count <= Self.limit,
            bytes[36..<40].elementsEqual("acsp".utf8),
            let space = Space(rawValue: String(decoding: bytes[16..<20], as: UTF8.self))
        else { return nil }
        self.bytes = bytes
        self.space = space
    }

    /// Itself, where numbers of that space need it; `nil` for sRGB, which is meant without one.
    func needed(by space: Space) -> ColorProfile? {
        self.space == space && !isSRGB ? self : nil
    }

    /// By the primaries, adapted to D50, and the middle of the curve (IEC 61966-2-1).
    private var isSRGB: Bool {
        let primaries = [
            ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
            ("bXYZ", [0.1431, 0.0606, 0.7141]),
        ]
        for (name, wanted) in primaries {
            guard let start = Self.tag(name, in: bytes) else { return false }
            for (index, value) in wanted.enumerated() {
                guard let fixed = Self.number(bytes, start + 8 + 4 * index),
                    abs(Double(fixed) / 65536 - value) < 0.004
                else { return false }
            }
        }
        guard let curve = Self.tag("gTRC", in: bytes),
            let middle = Self.middle(ofCurve: curve, in: bytes)
        else { return false }
        // sRGB's is 0.2140; a power of 2.2, as many write it, has 0.2176.
        return abs(middle - 0.2140) < 0.006
    }

    /// Where a tag's data begin.
    private static func tag(_ name: String, in bytes: [UInt8]) -> Int? {
        let count = min(number(bytes, 128) ?? 0, 100)
        for entry in 0..<count {
            let start = 132 + 12 * entry
            guard let place = number(bytes, start + 4) else { return nil }
            if bytes[start..<start + 4].elementsEqual(name.utf8) { return place }
        }
        return nil
    }

    /// The light, 0…1, that a curve gives to one half (sections 10.6 and 10.18).
    private static func middle(ofCurve start: Int, in bytes: [UInt8]) -> Double? {
        guard let kind = number(bytes, start), let count = number(bytes, start + 8) else {
            return nil
        }
        switch kind {
        case 0x6375_7276 where count == 1:  // curv
            return number(bytes, start + 12, bytes: 2).map { pow(0.5, Double($0) / 256) }
        case 0x6375_7276 where count > 1:
            let (low, high) = ((count - 1) / 2, count / 2)
            guard let one = number(bytes, start + 12 + 2 * low, bytes: 2),
                let other = number(bytes, start + 12 + 2 * high, bytes: 2)
            else { return nil }
            return Double(one + other) / 2 / 65535
        case 0x7061_7261:  // para: the form, then g, a and b, all of them that matter at one half
            let form = count >> 16
            let parameters = (0..<3).map {
                Double(number(bytes, start + 12 + 4 * $0) ?? 0) / 65536
            }
            return form == 0
                ? pow(0.5, parameters[0])
                : (1...4).contains(form)
                    ? pow(parameters[1] * 0.5 + parameters[2], parameters[0]) : nil
        default: return nil
        }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, bytes count: Int = 4) -> Int? {
        guard start >= 0, start + count <= bytes.count else { return nil }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
