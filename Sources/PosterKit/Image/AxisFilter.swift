import Glibc

/// For each sample along one axis of a smaller plane, which samples of the larger one it is made
/// of and with what weights: Lanczos with three lobes, stretched by the scale where that is over 1
/// (Turkowski, "Filters for Common Resampling Tasks", 1990).
///
/// Samples outside the plane do not exist: the weights of those inside are scaled to a sum of 1,
/// which neither darkens nor brightens an edge.
struct AxisFilter: Sendable {
    /// What it is made from; equal keys, equal filters.
    struct Key: Hashable, Sendable {
        /// Samples of the source.
        let source: Int
        /// Where the part to show begins, in source samples; may lie outside.
        let start: Double
        /// How many source samples the part spans.
        let extent: Double
        /// Samples to make.
        let target: Int
    }

    /// Weights a sample, a multiple of four; those that are not needed are 0.
    let taps: Int
    /// The first source sample of each. `first + taps` may pass the source's end, where the
    /// weights are 0.
    let first: [Int]
    /// `taps` for each sample.
    let weights: [Float]

    init(_ key: Key) {
        let scale = key.extent / Double(key.target)
        let stretch = max(1, scale)
        let support = Self.lobes * stretch
        let reach = min(key.source, Int((2 * support).rounded(.up)) + 1)
        taps = (reach + 3) & ~3
        var first = [Int](repeating: 0, count: key.target)
        var weights = [Float](repeating: 0, count: key.target * taps)
        for sample in 0..<key.target {
            let center = key.start + (Double(sample) + 0.5) * scale
            let low = Int((center - support + 0.5).rounded(.down))
            let start = max(0, min(low, key.source - reach))
            first[sample] = start
            var sum = 0.0
            for tap in 0..<reach {
                let weight = Self.lanczos((Double(start + tap) + 0.5 - center) / stretch)
                weights[sample * taps + tap] = Float(weight)
                sum += weight
            }
            guard sum != 0 else { continue }
            for tap in 0..<reach { weights[sample * taps + tap] /= Float(sum) }
        }
        self.first = first
        self.weights = weights
    }

    private static let lobes = 3.0

    private static func lanczos(_ x: Double) -> Double {
        guard abs(x) < lobes else { return 0 }
        guard abs(x) > 1e-9 else { return 1 }
        let angle = x * Double.pi
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }
}
