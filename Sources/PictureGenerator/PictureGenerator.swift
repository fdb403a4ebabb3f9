import CJPEG
import Glibc

/// JPEG pictures drawn from one seed, over the whole space that a decoder meets: kind of picture,
/// quality, size, sampling, sequential and progressive coding, scan scripts, restart intervals,
/// Huffman tables. Half are pixels that libjpeg-turbo encodes, half are coefficients that this
/// target writes itself, beyond what that library would.
public struct PictureGenerator {
    /// A picture and what it is.
    public struct Picture: Sendable {
        /// The JPEG file: valid, whole, and within the limits of the image stage.
        public let bytes: [UInt8]
        /// How it was drawn and encoded, in one line.
        public let summary: String
    }

    private var random: SplitMix64
    private let longestSide: Int

    /// Begins the sequence of a seed; no side is longer than `longestSide` pixels.
    public init(seed: UInt64, longestSide: Int = 200) {
        random = SplitMix64(seed: seed)
        self.longestSide = longestSide
    }

    /// The next picture of the sequence.
    public mutating func next() -> Picture {
        // A seed of its own: how many numbers one picture takes must not change the next one.
        var own = SplitMix64(seed: random.next())
        let layout = FrameShape.Layout.allCases.randomElement(using: &own) ?? .grey
        let shape = FrameShape(
            width: own.side(to: longestSide), height: own.side(to: longestSide), layout: layout,
            using: &own)
        return own.chance(0.5)
            ? Self.encoded(shape, using: &own)
            : Self.written(shape, Coefficients.Statistics(using: &own), using: &own)
    }

    /// A picture of over 65,534 blocks with hardly anything in them, whose end-of-band runs are as
    /// long as the format allows.
    public mutating func nextWithLongRuns() -> Picture {
        var own = SplitMix64(seed: random.next())
        let shape = FrameShape(
            width: 8 * Int.random(in: 513...1000, using: &own),
            height: 8 * Int.random(in: 129...140, using: &own),
            layout: own.chance(0.7) ? .grey : .s444, using: &own)
        // Within the image stage's limit of 200 million pixels in all scans.
        let scans = min(60, 190_000_000 / (shape.width * shape.height))
        return Self.written(shape, .empty(using: &own), mostScans: scans, using: &own)
    }

    private static func written(
        _ shape: FrameShape, _ statistics: Coefficients.Statistics, mostScans: Int = 60,
        using random: inout SplitMix64
    ) -> Picture {
        let stream = StreamWriter(shape, statistics, mostScans: mostScans, using: &random)
        return Picture(
            bytes: stream.bytes,
            summary: "\(shape.width)x\(shape.height) \(shape.layout.rawValue) coefficients, "
                + stream.summary)
    }

    private static func encoded(
        _ shape: FrameShape, using random: inout SplitMix64
    ) -> Picture {
        let motif = Canvas.Motif.allCases.randomElement(using: &random) ?? .noise
        let canvas = Canvas(
            motif, width: shape.width, height: shape.height, channels: shape.componentCount,
            using: &random)
        let quality = Int.random(in: 30...98, using: &random)
        var how = onesheet_jpeg_writer()
        how.width = Int32(shape.width)
        how.height = Int32(shape.height)
        how.channels = Int32(shape.componentCount)
        how.horizontal = Int32(shape.horizontal)
        how.vertical = Int32(shape.vertical)
        how.quality = Int32(quality)
        how.has_optimal_tables = random.chance(0.5) ? 1 : 0
        how.is_coarse_dct = random.chance(0.2) ? 1 : 0
        how.restart_interval =
            random.chance(0.3) ? UInt32(random.scaled(to: 2 * shape.mcus.columns + 2)) : 0
        let (coding, script) = Self.coding(shape, &how, &random)
        return Picture(
            bytes: encode(canvas, how, script),
            summary: "\(shape.width)x\(shape.height) \(shape.layout.rawValue) \(motif.rawValue), "
                + "quality \(quality), \(coding), restarts \(how.restart_interval)")
    }

    /// Sequential, the library's own progression, or a script.
    private static func coding(
        _ shape: FrameShape, _ how: inout onesheet_jpeg_writer, _ random: inout SplitMix64
    ) -> (String, ScanScript?) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return ("sequential", nil)
        case 1:
            how.is_progressive = 1
            return ("progressive", nil)
        default:
            let script = ScanScript.progressive(
                components: shape.componentCount, mostLow: Int.random(in: 0...4, using: &random),
                mostScans: 60, using: &random)
            return ("\(script.scans.count) scans", script)
        }
    }

    private static func encode(
        _ canvas: Canvas, _ how: onesheet_jpeg_writer, _ script: ScanScript?
    ) -> [UInt8] {
        let scans = (script?.scans ?? []).map { scan in
            onesheet_jpeg_writer_scan(
                component: scan.components.count == Int(how.channels) && how.channels > 1
                    ? -1 : Int32(scan.components[0]), first: Int32(scan.band.lowerBound),
                last: Int32(scan.band.upperBound), high: Int32(scan.high), low: Int32(scan.low))
        }
        return scans.withUnsafeBufferPointer { scans in
            var how = how
            how.scans = scans.baseAddress
            how.scan_count = Int32(scans.count)
            var size: UInt = 0
            guard let output = onesheet_jpeg_write(&how, canvas.samples, &size) else {
                fatalError("libjpeg refuses what was drawn for it")
            }
            defer { free(output) }
            return Array(UnsafeBufferPointer(start: output, count: Int(size)))
        }
    }
}
