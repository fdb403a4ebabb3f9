import CTurboJPEG
import Glibc

/// Honest pictures at the limits: 20 megapixels that fill 8 MiB, whole and without a fault.
enum GiantPicture {
    static let (width, height) = (4000, 5000)

    /// The most bytes that are allowed, a little less.
    static let bytes = 8 << 20 - 4096

    /// A JPEG as large as allowed: noise on a slope, at the highest quality that fits.
    /// `bytes`: arithmetic coding has a lower limit.
    static func jpeg(
        _ sampling: TJSAMP, isProgressive: Bool, isArithmetic: Bool = false, isInk: Bool = false,
        width: Int = width, height: Int = height, bytes limit: Int = bytes
    ) -> [UInt8] {
        setenv("TJ_ARITHMETIC", isArithmetic ? "1" : "0", 1)
        let channels = isInk ? 4 : 3
        let handle = tjInitCompress()
        defer { tjDestroy(handle) }
        let pixels = noise(width: width, height: height, channels: channels, amplitude: 24)
        let flags = isProgressive ? TJFLAG_PROGRESSIVE : 0
        var best: [UInt8] = []
        var (low, high) = (1, 100)
        while low <= high {
            let quality = (low + high) / 2
            var (output, size) = (UnsafeMutablePointer<UInt8>?.none, UInt(0))
            guard
                tjCompress2(
                    handle, pixels, Int32(width), Int32(width * channels), Int32(height),
                    Int32((isInk ? TJPF_CMYK : TJPF_RGB).rawValue), &output, &size,
                    Int32(sampling.rawValue), Int32(quality), flags) == 0
            else { fatalError(String(cString: tjGetErrorStr2(handle))) }
            if size <= limit {
                best = Array(UnsafeBufferPointer(start: output, count: Int(size)))
                low = quality + 1
            } else {
                high = quality - 1
            }
            tjFree(output)
        }
        return best
    }

    /// A PNG of 20 megapixels, or fewer rows, whose every row is filtered with Paeth's predictor,
    /// the slowest: noise that fills 8 MiB, then black.
    static func png(
        bits: UInt8, type: UInt8, channels: Int, isInterlaced: Bool = false, width: Int = width,
        height: Int = height
    ) -> [UInt8] {
        let rows = rows(
            bitsPerPixel: Int(bits) * channels, isInterlaced: isInterlaced, width: width,
            height: height)
        var raw = [UInt8](repeating: 0, count: rows.reduce(0) { $0 + $1 + 1 })
        var random = UInt32(1)
        // A few bits of noise in each of the first bytes: as many as deflate makes 7 MiB of.
        for index in 0..<min(raw.count, 12 << 20) {
            random = random &* 1_664_525 &+ 1_013_904_223
            raw[index] = UInt8(random >> 28)
        }
        var place = 0
        for row in rows {
            raw[place] = 4
            place += row + 1
        }
        var before: [UInt8] = []
        if type == 3 {
            before = PNGForgery.chunk("PLTE", (0..<768).map { UInt8($0 % 251) })
        }
        if bits == 16 { before += PNGForgery.chunk("gAMA", [0, 1, 0x86, 0xA0]) }
        let header = PNGForgery.header(
            width: width, height: height, bits: bits, type: type, isInterlaced: isInterlaced)
        return PNGForgery.picture(header, before, rows: raw, level: 1)
    }

    /// The bytes of each row without its filter byte; with Adam7, of all seven passes.
    private static func rows(
        bitsPerPixel: Int, isInterlaced: Bool, width: Int, height: Int
    ) -> [Int] {
        guard isInterlaced else {
            return [Int](repeating: (width * bitsPerPixel + 7) / 8, count: height)
        }
        let passes = [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
            (0, 1, 1, 2),
        ]
        return passes.flatMap { x, y, across, down in
            let columns = (width - x + across - 1) / across
            let count = (height - y + down - 1) / down
            return [Int](repeating: (columns * bitsPerPixel + 7) / 8, count: count)
        }
    }

    /// A PNG of RGBA whose every sample is a little noise on a slope, as a photograph's is, its alpha
    /// included; unfiltered rows, as many bits of noise as fit 8 MiB.
    static func clearPNG(width: Int, height: Int) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((4 * width + 1) * height)
        var random = UInt32(1)
        for y in 0..<height {
            rows.append(1)
            // Filter 1 says how much a sample differs from the one before it.
            for x in 0..<4 * width {
                random = random &* 1_664_525 &+ 1_013_904_223
                let step = random >> 28 < 3 ? UInt8(random >> 27 & 1) : 0
                rows.append(x < 4 ? UInt8(100 + y % 100) : step)
            }
        }
        return PNGForgery.picture(
            PNGForgery.header(width: width, height: height, type: 6), rows: rows, level: 1)
    }

    private static func noise(
        width: Int, height: Int, channels: Int, amplitude: UInt32
    ) -> [UInt8] {
        var samples = [UInt8](repeating: 0, count: width * height * channels)
        var random = UInt32(1)
        samples.withUnsafeMutableBufferPointer { samples in
            for index in samples.indices {
                random = random &* 1_664_525 &+ 1_013_904_223
                let slope = UInt32(index / channels % width * 200 / width)
                samples[index] = UInt8(truncatingIfNeeded: slope + (random >> 16) % amplitude)
            }
        }
        return samples
    }
}
