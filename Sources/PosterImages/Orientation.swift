/// How a stored picture must be turned to stand upright: EXIF 2.32, tag 0x0112.
///
/// The turn from stored to upright is: mirror left to right, mirror top to bottom, then swap
/// rows and columns, each only where its flag says so.
enum Orientation: UInt8, CaseIterable, Sendable {
    /// Stored upright.
    case upright = 1
    /// Mirrored left to right.
    case mirrored = 2
    /// Turned by half.
    case halfTurn = 3
    /// Mirrored top to bottom.
    case flipped = 4
    /// Rows and columns swapped.
    case transposed = 5
    /// To be turned a quarter clockwise.
    case quarterClockwise = 6
    /// Rows and columns swapped along the other diagonal.
    case transversed = 7
    /// To be turned a quarter anticlockwise.
    case quarterAnticlockwise = 8

    /// Stored columns run from right to left.
    var mirrorsColumns: Bool {
        switch self {
        case .mirrored, .halfTurn, .transversed, .quarterAnticlockwise: true
        case .upright, .flipped, .transposed, .quarterClockwise: false
        }
    }

    /// Stored rows run from bottom to top.
    var mirrorsRows: Bool {
        switch self {
        case .halfTurn, .flipped, .transversed, .quarterClockwise: true
        case .upright, .mirrored, .transposed, .quarterAnticlockwise: false
        }
    }

    /// A stored row is an upright column.
    var swapsAxes: Bool { rawValue >= Self.transposed.rawValue }

    /// Reads the tag out of a TIFF structure (TIFF 6.0, section 2), as EXIF and PNG's `eXIf` hold
    /// it. Only the first directory is looked at, so loops and far offsets cost nothing; what
    /// cannot be read is upright.
    init(tiff bytes: ArraySlice<UInt8>) {
        self = Self.read(bytes) ?? .upright
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> Orientation? {
        let isLittleEndian: Bool
        switch Array(bytes.prefix(4)) {
        case [0x49, 0x49, 0x2A, 0x00]: isLittleEndian = true
        case [0x4D, 0x4D, 0x00, 0x2A]: isLittleEndian = false
        default: return nil
        }
        func number(at offset: Int, bytes count: Int) -> Int? {
            guard offset >= 0, offset + count <= bytes.count else { return nil }
            let start = bytes.startIndex + offset
            let field = bytes[start..<start + count]
            return isLittleEndian
                ? field.reversed().reduce(0) { $0 << 8 | Int($1) }
                : field.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(at: 4, bytes: 4),
            let entries = number(at: directory, bytes: 2)
        else { return nil }
        let (tag, short) = (0x0112, 3)
        for entry in 0..<entries {
            let start = directory + 2 + entry * 12
            guard let found = number(at: start, bytes: 2) else { return nil }
            guard found == tag else { continue }
            guard number(at: start + 2, bytes: 2) == short, number(at: start + 4, bytes: 4) == 1,
                let value = number(at: start + 8, bytes: 2)
            else { return nil }
            return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
        }
        return nil
    }
}
