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
    /// The same in units of 1/``unit``, each sample's with that sum.
    let fixed: [Int16]
    /// 32768 where every weight is below 1; else, near an edge and where nothing shrinks, 16384.
    let unit: Int
    /// How many of a sample's ``fixed`` weights are not 0.
    let used: [Int]

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
            let own = (0..<reach).map {
                Self.lanczos((Double(start + $0) + 0.5 - center) / stretch)
            }
            let sum = own.reduce(0, +)
            for tap in 0..<reach { weights[sample * taps + tap] = Float(own[tap] / sum) }
        }
        self.first = first
        self.weights = weights
        unit = weights.allSatisfy { $0 < 0.9999 } ? 32768 : 16384
        (fixed, used) = Self.fixed(weights, taps: taps, unit: Double(unit))
    }

    /// What rounding a weight leaves over goes to the next one, so that nothing is lost.
    private static func fixed(
        _ weights: [Float], taps: Int, unit: Double
    ) -> (fixed: [Int16], used: [Int]) {
        var fixed = [Int16](repeating: 0, count: weights.count)
        var used: [Int] = []
        for start in stride(from: 0, to: weights.count, by: taps) {
            var (left, count) = (0.0, 0)
            for tap in start..<start + taps where weights[tap] != 0 {
                let exact = Double(weights[tap]) * unit + left
                fixed[tap] = Int16(exact.rounded())
                left = exact - exact.rounded()
                if fixed[tap] != 0 { count += 1 }
            }
            used.append(count)
        }
        return (fixed, used)
    }

    private static let lobes = 3.0

    private static func lanczos(_ x: Double) -> Double {
        guard abs(x) < lobes else { return 0 }
        guard abs(x) > 1e-9 else { return 1 }
        let angle = x * Double.pi
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }
}
