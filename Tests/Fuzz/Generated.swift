import Glibc
import PosterBase

/// Draws pictures from a seed for so many seconds, and compares what is made of each with what
/// libjpeg-turbo alone makes of it; then the same of a copy with a few bytes altered.
@main
enum Generated {
    private struct Counts {
        var generated = 0
        var compared = 0
        var damaged = 0
        var refused = 0
        var failed = 0
    }

    /// Arguments: `SECONDS SEED FOLDER` to compare, with pictures that differ kept in the folder;
    /// `seeds COUNT SEED FOLDER` to write small pictures that a fuzzer begins with.
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count == 4, words[0] == "seeds", let count = Int(words[1]),
            let seed = UInt64(words[2])
        {
            return writeSeeds(count, seed, words[3])
        }
        guard words.count == 3, let seconds = Int(words[0]), let seed = UInt64(words[1]) else {
            print("usage: Generated SECONDS SEED FOLDER | seeds COUNT SEED FOLDER")
            exit(64)
        }
        print("seed \(seed)")
        fflush(nil)
        keepCrashes(words[2])
        let isGood = compare(for: .seconds(seconds), seed, words[2])
        exit(isGood ? 0 : 1)
    }

    private static func writeSeeds(_ count: Int, _ seed: UInt64, _ folder: String) {
        var generator = PictureGenerator(seed: seed, longestSide: 60)
        for number in 0..<count {
            write(generator.next().bytes, to: "\(folder)/generated-\(seed)-\(number)")
        }
    }

    private static func compare(for time: Duration, _ seed: UInt64, _ folder: String) -> Bool {
        var (generator, random) = (PictureGenerator(seed: seed), SplitMix64(seed: ~seed))
        var counts = Counts()
        let (whole, damaged) = (ImageMetrics(), ImageMetrics())
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            let picture =
                counts.generated % 500 == 499 ? generator.nextWithLongRuns() : generator.next()
            counts.generated += 1
            let name = "\(folder)/generated-\(seed)-\(counts.generated)"
            current.update(picture.bytes)
            let isRead = compare(picture.bytes, in: [1, 2, 4, 8], whole)
            if isRead == true {
                counts.compared += 1
            } else {
                counts.failed += 1
                print("\(name): \(isRead == nil ? "refused" : "differs"): \(picture.summary)")
                fflush(nil)
                write(picture.bytes, to: name)
            }
            let altered = alter(picture.bytes, &random)
            current.update(altered)
            counts.damaged += 1
            switch compare(
                altered, in: [1, 2, 4, 8].randomElement(using: &random).map { [$0] } ?? [], damaged)
            {
            case nil: counts.refused += 1
            case true?: break
            case false?:
                counts.failed += 1
                print("\(name)-altered: differs: \(picture.summary), altered")
                fflush(nil)
                write(altered, to: name + "-altered")
            }
        }
        print(
            "\(counts.generated) pictures generated, \(counts.compared) the same at every "
                + "reduction; left to the library: \(reasons(whole))")
        print(
            "\(counts.damaged) altered copies, \(counts.refused) refused; decodes left to the "
                + "library: \(reasons(damaged))")
        print("\(counts.failed) failed; seed \(seed)")
        return counts.failed == 0
    }

    /// Whether a picture is the library's; `nil` where it is refused by both.
    private static func compare(
        _ bytes: [UInt8], in reductions: [Int], _ metrics: ImageMetrics
    ) -> Bool? {
        do throws(ImageError) {
            let walk = try JPEGWalk(bytes, limits: ImageLimits())
            let bytes = walk.repairs.applied(to: bytes)
            var isRead: Bool?
            // Of a picture smaller than two samples TurboJPEG chooses a factor of its own.
            for reduction in reductions
            where reduction == 1 || min(walk.width, walk.height) >= 2 * reduction {
                var fast = JPEGDecoder(metrics: metrics)
                var library = JPEGDecoder(isFast: false, mostRecodedSamples: .max)
                let seen = samples(&fast, bytes, walk, reduction)
                guard seen == samples(&library, bytes, walk, reduction) else { return false }
                isRead = seen == nil ? nil : true
            }
            return isRead
        } catch { return nil }
    }

    /// One to three bytes of the picture's, anywhere behind its first marker.
    private static func alter(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var altered = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 2..<bytes.count, using: &random)
            altered[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        return altered
    }

    private static func reasons(_ metrics: ImageMetrics) -> String {
        let counted = JPEGFallback.allCases.filter { metrics.jpegFallbacks[$0] > 0 }
            .map { "\($0.rawValue) \(metrics.jpegFallbacks[$0])" }
        return counted.isEmpty ? "none" : counted.joined(separator: ", ")
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "wb") else { fatalError("cannot write \(path)") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Writes the picture at hand into the folder when a trap ends the program.
    private static func keepCrashes(_ folder: String) {
        crashPath = strdup("\(folder)/generated-crash")
        for number in [SIGILL, SIGTRAP, SIGABRT] {
            signal(number) { number in
                let file = open(crashPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
                _ = Glibc.write(file, current.bytes, current.count)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}

/// A copy of the picture at hand, in memory that a signal handler can read.
private struct Current {
    var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 32 << 20)
    var count = 0

    mutating func update(_ picture: [UInt8]) {
        count = min(picture.count, 32 << 20)
        bytes.update(from: picture, count: count)
    }
}

nonisolated(unsafe) private var current = Current()
nonisolated(unsafe) private var crashPath: UnsafeMutablePointer<CChar> = strdup("")
