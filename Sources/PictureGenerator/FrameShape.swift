/// The size of a picture and how finely each of its components is sampled.
struct FrameShape {
    /// The ways of sampling that a decoder reads as planes.
    enum Layout: String, CaseIterable {
        case grey, s420 = "4:2:0", s422 = "4:2:2", s444 = "4:4:4", s440 = "4:4:0", s411 = "4:1:1"
    }

    let width: Int
    let height: Int
    let layout: Layout
    /// Blocks of luma in an MCU of all components; chroma has one.
    let horizontal: Int
    let vertical: Int

    init(width: Int, height: Int, layout: Layout, using random: inout SplitMix64) {
        self.width = width
        self.height = height
        self.layout = layout
        (horizontal, vertical) =
            switch layout {
            // Means nothing where there is one component, and must not change anything.
            case .grey:
                random.chance(0.8) ? (1, 1) : (Int.random(in: 1...4, using: &random), 2)
            case .s420: (2, 2)
            case .s422: (2, 1)
            case .s444: (1, 1)
            case .s440: (1, 2)
            case .s411: (4, 1)
            }
    }

    var componentCount: Int { layout == .grey ? 1 : 3 }

    /// MCUs of all components in a row, and rows of them.
    var mcus: (columns: Int, rows: Int) {
        (
            (width + 8 * horizontal - 1) / (8 * horizontal),
            (height + 8 * vertical - 1) / (8 * vertical)
        )
    }
}

extension SplitMix64 {
    /// `true` with a probability.
    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    /// A number from 1 to `limit`, each order of magnitude as likely as the next.
    mutating func scaled(to limit: Int) -> Int {
        let exponent = Double.random(in: 0...1, using: &self)
        return max(1, min(limit, Int(power(Double(limit), exponent))))
    }

    /// A side from 1 to `limit` pixels: any, or in one case of three a small one.
    mutating func side(to limit: Int) -> Int {
        chance(0.33) ? scaled(to: limit) : Int.random(in: 1...limit, using: &self)
    }
}
