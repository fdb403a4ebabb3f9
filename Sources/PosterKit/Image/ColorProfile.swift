/// An embedded colour profile (ICC.1:2022), of which a thumbnail needs to know one thing: whether
/// its numbers mean something else than sRGB's, so that the profile must go with them.
///
/// It is kept as it is and never applied: the viewer does that, and nothing here has to trust it.
struct ColorProfile: Equatable, Sendable {
    /// The profile, whole.
    let bytes: [UInt8]

    /// The most that is kept: what one JPEG segment can hold beside its name. Real RGB profiles
    /// have 0.5 to 4 kB; those of a hundred describe printers.
    static let limit = 65_519

    /// `nil` for what need not or cannot be kept: sRGB, a profile for another number of
    /// components, one that is cut or too large.
    init?(_ bytes: [UInt8], components: Int) {
        let space = components == 1 ? "GRAY" : "RGB "
        guard bytes.count >= 132, bytes.count <= Self.limit,
            bytes[36..<40].elementsEqual("acsp".utf8), bytes[16..<20].elementsEqual(space.utf8),
            !Self.isSRGB(bytes)
        else { return nil }
        self.bytes = bytes
    }

    /// By the primaries, adapted to D50 (IEC 61966-2-1, annex), and a curve that is not straight.
    private static func isSRGB(_ bytes: [UInt8]) -> Bool {
        let primaries = [
            ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
            ("bXYZ", [0.1431, 0.0606, 0.7141]),
        ]
        for (name, wanted) in primaries {
            guard let start = tag(name, in: bytes), start + 20 <= bytes.count else { return false }
            for (index, value) in wanted.enumerated() {
                let fixed = number(bytes, start + 8 + 4 * index)
                guard abs(Double(fixed) / 65536 - value) < 0.004 else { return false }
            }
        }
        guard let curve = tag("gTRC", in: bytes), curve + 12 <= bytes.count else { return false }
        let isStraight =
            bytes[curve..<curve + 4].elementsEqual("curv".utf8) && number(bytes, curve + 8) == 0
        return !isStraight
    }

    /// Where a tag's data begin.
    private static func tag(_ name: String, in bytes: [UInt8]) -> Int? {
        let count = min(number(bytes, 128), 100)
        for entry in 0..<count {
            let start = 132 + 12 * entry
            guard start + 12 <= bytes.count else { return nil }
            if bytes[start..<start + 4].elementsEqual(name.utf8) {
                return number(bytes, start + 4)
            }
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], _ start: Int) -> Int {
        bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
