import Glibc

/// Pixels that are drawn from random numbers: 8 bits a channel, interleaved.
struct Canvas {
    /// What is drawn. Between them they have the statistics of what is met in practice, and those
    /// that a decoder finds hardest.
    enum Motif: String, CaseIterable {
        /// Every sample by itself.
        case noise
        /// Slopes, linear or round.
        case gradient
        /// Letter-like bars and strokes of full contrast on one colour.
        case lettering
        /// The 1/f amplitudes of photographs (Field 1987), by octaves of smoothed noise.
        case photograph
        /// Bands of one colour each, with noise in some.
        case bands
        /// A photograph with lettering over it, as on a poster.
        case poster
    }

    let width: Int
    let height: Int
    let channels: Int
    private(set) var samples: [UInt8]

    /// Draws a motif.
    init(_ motif: Motif, width: Int, height: Int, channels: Int, using random: inout SplitMix64) {
        self.width = width
        self.height = height
        self.channels = channels
        samples = Array(repeating: 128, count: width * height * channels)
        switch motif {
        case .noise: drawNoise(&random)
        case .gradient: drawGradient(&random)
        case .lettering:
            fill(color(&random))
            drawLettering(&random)
        case .photograph: drawPhotograph(&random)
        case .bands: drawBands(&random)
        case .poster:
            drawPhotograph(&random)
            drawLettering(&random)
        }
    }

    private func color(_ random: inout SplitMix64) -> [UInt8] {
        (0..<channels).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private mutating func fill(_ color: [UInt8]) {
        fill(color, columns: 0..<width, rows: 0..<height)
    }

    private mutating func fill(_ color: [UInt8], columns: Range<Int>, rows: Range<Int>) {
        for y in rows.clamped(to: 0..<height) {
            for x in columns.clamped(to: 0..<width) {
                for channel in 0..<channels {
                    samples[(y * width + x) * channels + channel] = color[channel]
                }
            }
        }
    }

    private mutating func drawNoise(_ random: inout SplitMix64) {
        let span = Int.random(in: 2...255, using: &random)
        let base = Int.random(in: 0...(255 - span), using: &random)
        for index in samples.indices {
            samples[index] = UInt8(base + Int(random.next() % UInt64(span + 1)))
        }
    }

    private mutating func drawGradient(_ random: inout SplitMix64) {
        let isRound = random.chance(0.3)
        let slopes = (0..<channels).map { _ in
            (
                x: Double.random(in: -1...1, using: &random),
                y: Double.random(in: -1...1, using: &random),
                base: Double.random(in: 0...255, using: &random)
            )
        }
        let scale = 255 / Double(max(width, height))
        for y in 0..<height {
            for x in 0..<width {
                let (across, down) = (Double(x), Double(y))
                let far = isRound ? hypot(across - Double(width) / 2, down) : 0
                for channel in 0..<channels {
                    let slope = slopes[channel]
                    let value =
                        slope.base + scale * (slope.x * (across + far) + slope.y * down)
                    samples[(y * width + x) * channels + channel] = UInt8(
                        max(0, min(255, value)))
                }
            }
        }
    }

    private mutating func drawLettering(_ random: inout SplitMix64) {
        let size = max(3, min(height, 4 + Int(random.next() % 40)))
        let thickness = max(1, size / 6)
        var (x, y) = (0, Int(random.next() % UInt64(height)))
        for _ in 0..<Int.random(in: 1...24, using: &random) {
            let ink = random.chance(0.8) ? color(&random) : color(&random).map { _ in 255 }
            // A stem, and a bar across it at a random height.
            fill(ink, columns: x..<x + thickness, rows: y..<y + size)
            let bar = y + Int(random.next() % UInt64(size))
            fill(ink, columns: x..<x + size * 2 / 3, rows: bar..<bar + thickness)
            x += size
            if x > width { (x, y) = (0, y + size + thickness) }
            if y > height { y = 0 }
        }
    }

    private mutating func drawPhotograph(_ random: inout SplitMix64) {
        var planes = [[Double]](
            repeating: Array(repeating: 128, count: width * height), count: channels)
        var (cell, amplitude) = (max(4, max(width, height) / 2), 64.0)
        while cell >= 1 {
            for channel in 0..<channels {
                // Colours follow luma, as those of things do.
                let own = channel == 0 ? amplitude : amplitude / 4
                addOctave(to: &planes[channel], cell: cell, amplitude: own, &random)
            }
            // Half the wavelength, half the amplitude: 1/f.
            cell /= 2
            amplitude /= 2
        }
        for pixel in 0..<width * height {
            for channel in 0..<channels {
                let value =
                    channel == 0
                    ? planes[0][pixel] : planes[0][pixel] / 2 + planes[channel][pixel] / 2
                samples[pixel * channels + channel] = UInt8(max(0, min(255, value)))
            }
        }
    }

    /// Adds noise at the corners of square cells, blended linearly between them.
    private func addOctave(
        to plane: inout [Double], cell: Int, amplitude: Double, _ random: inout SplitMix64
    ) {
        let (columns, rows) = (width / cell + 2, height / cell + 2)
        let corners = (0..<columns * rows).map { _ in
            Double(random.next() >> 11) / Double(1 << 52) - 1
        }
        for y in 0..<height {
            let (row, down) = (y / cell, Double(y % cell) / Double(cell))
            for x in 0..<width {
                let (column, across) = (x / cell, Double(x % cell) / Double(cell))
                let corner = row * columns + column
                let above = corners[corner] * (1 - across) + corners[corner + 1] * across
                let below =
                    corners[corner + columns] * (1 - across)
                    + corners[corner + columns + 1] * across
                plane[y * width + x] += amplitude * (above * (1 - down) + below * down)
            }
        }
    }

    private mutating func drawBands(_ random: inout SplitMix64) {
        var y = 0
        while y < height {
            let rows = y..<y + Int.random(in: 1...40, using: &random)
            fill(color(&random), columns: 0..<width, rows: rows)
            if random.chance(0.3) {
                for index in rows.clamped(to: 0..<height).lowerBound * width * channels..<min(
                    rows.upperBound, height) * width * channels
                {
                    samples[index] ^= UInt8(truncatingIfNeeded: random.next() & 31)
                }
            }
            y = rows.upperBound
        }
    }
}

/// C's `pow`, for the files that import no library.
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
