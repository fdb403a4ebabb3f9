import Glibc

/// The quantised coefficients of one component, drawn from random numbers: what no encoder makes
/// of any pixels is as good a test of a decoder as what it does.
struct Coefficients {
    /// How a picture's coefficients are distributed.
    struct Statistics {
        /// The part of the blocks that have nothing but DC.
        let emptiness: Double
        /// The mean size of the first coefficient, and by what each later one is smaller.
        let scale: Double
        let decay: Double
        /// The mean difference of DC from block to block.
        let step: Double

        init(using random: inout SplitMix64) {
            emptiness = [0, 0.3, 0.9, 0.99].randomElement(using: &random) ?? 0
            scale = 0.3 * power(2, Double.random(in: 0...9, using: &random))
            decay = Double.random(in: 0.8...0.99, using: &random)
            step = power(2, Double.random(in: -1...7, using: &random))
        }

        /// Hardly anything in hardly any block, so that end-of-band runs are as long as can be.
        static func empty(using random: inout SplitMix64) -> Statistics {
            Statistics(
                emptiness: 1 - power(10, Double.random(in: -5 ... -3, using: &random)), scale: 8,
                decay: 0.95, step: 0.05)
        }

        private init(emptiness: Double, scale: Double, decay: Double, step: Double) {
            self.emptiness = emptiness
            self.scale = scale
            self.decay = decay
            self.step = step
        }
    }

    /// Blocks across and down in an MCU of all components.
    let horizontal: Int
    let vertical: Int
    /// Blocks that hold samples of the picture: those of a scan of this component alone.
    let columns: Int
    let rows: Int
    /// Blocks in a row of whole MCUs.
    private let stride: Int
    /// In the order of the file.
    private var values: [Int16]

    init(
        of component: Int, in shape: FrameShape, _ statistics: Statistics,
        using random: inout SplitMix64
    ) {
        (horizontal, vertical) = component == 0 ? (shape.horizontal, shape.vertical) : (1, 1)
        let (across, down) = (8 * shape.horizontal, 8 * shape.vertical)
        columns = (shape.width * horizontal + across - 1) / across
        rows = (shape.height * vertical + down - 1) / down
        stride = shape.mcus.columns * horizontal
        values = Array(repeating: 0, count: stride * shape.mcus.rows * vertical * 64)
        var dc = 0.0
        for block in 0..<values.count / 64 {
            dc += statistics.step * Self.laplace(&random)
            dc = max(-1000, min(1000, dc))
            values[block * 64] = Int16(dc)
            guard !random.chance(statistics.emptiness) else { continue }
            var scale = statistics.scale
            // Most blocks end long before their last coefficient.
            for index in 1...Int.random(in: 1...63, using: &random) {
                let value = scale * Self.laplace(&random)
                values[block * 64 + index] = Int16(max(-1023, min(1023, value)))
                scale *= statistics.decay
            }
        }
    }

    /// A number from Laplace's distribution, by which coefficients spread: mean size 1.
    private static func laplace(_ random: inout SplitMix64) -> Double {
        let bits = random.next()
        let size = -log(1 - Double(bits >> 11) / Double(1 << 53))
        return bits & 1 == 0 ? size : -size
    }

    /// Calls `body` with a block's coefficients.
    func withBlock<Value>(
        column: Int, row: Int, _ body: (UnsafePointer<Int16>) -> Value
    ) -> Value {
        let block = row * stride + column
        return values.withUnsafeBufferPointer { values in
            guard let base = values.baseAddress else { fatalError("a component without blocks") }
            return body(base + block * 64)
        }
    }
}
