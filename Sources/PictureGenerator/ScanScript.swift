/// In which scans the coefficients of a picture come (ITU-T T.81, G.1.1.1).
struct ScanScript {
    /// One scan.
    struct Scan {
        /// Which components it has; one alone where it has other coefficients than the first.
        let components: [Int]
        /// First and last coefficient, in the order of the file.
        let band: ClosedRange<Int>
        /// How many low bits earlier scans left out; 0 for the first scan of a band.
        let high: Int
        /// How many low bits it leaves out itself.
        let low: Int
    }

    private(set) var scans: [Scan]

    /// A sequential picture's scans: together, one by one, or chroma together.
    static func sequential(components: Int, using random: inout SplitMix64) -> ScanScript {
        let all = Array(0..<components)
        let groups: [[Int]] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: all.map { [$0] }
            case 1 where components == 3: [[0], [1, 2]]
            default: [all]
            }
        return ScanScript(
            scans: groups.map { Scan(components: $0, band: 0...63, high: 0, low: 0) })
    }

    /// A progressive picture's scans: bands of random widths, each with up to `mostLow` bits left
    /// to scans of their own. One in eight of them stops early, as a file may.
    static func progressive(
        components: Int, mostLow: Int, mostScans: Int, using random: inout SplitMix64
    ) -> ScanScript {
        var script = ScanScript(scans: [])
        // For each coefficient how many low bits have not come; nil before its first scan.
        var left = [[Int?]](repeating: Array(repeating: nil, count: 64), count: components)
        let low = Int.random(in: 0...mostLow, using: &random)
        if random.chance(0.6) {
            script.add(
                Scan(components: Array(0..<components), band: 0...0, high: 0, low: low), &left)
        } else {
            for component in 0..<components {
                let own = random.chance(0.5) ? low : Int.random(in: 0...mostLow, using: &random)
                script.add(Scan(components: [component], band: 0...0, high: 0, low: own), &left)
            }
        }
        let most = random.chance(0.125) ? Int.random(in: 0...8, using: &random) : mostScans
        while script.scans.count < most,
            let component = (0..<components).shuffled(using: &random).first(where: { component in
                left[component].contains { $0 != 0 }
            })
        {
            script.addScan(of: component, mostLow, &left, &random)
        }
        return script
    }

    /// Adds a scan of a component that has something left to come.
    private mutating func addScan(
        of component: Int, _ mostLow: Int, _ left: inout [[Int?]], _ random: inout SplitMix64
    ) {
        let own = left[component]
        let open = (0..<64).filter { own[$0] != 0 }
        guard let start = open.randomElement(using: &random) else { return }
        if start == 0 { return addFurtherDC(component, &left, &random) }
        // The longest band about it whose coefficients are as far, or a part of that.
        var (first, last) = (start, start)
        while first > 1, own[first - 1] == own[start] { first -= 1 }
        while last < 63, own[last + 1] == own[start] { last += 1 }
        if random.chance(0.25) {
            first = Int.random(in: first...start, using: &random)
            last = Int.random(in: start...last, using: &random)
        }
        let high = own[start] ?? 0
        let low = own[start] == nil ? Int.random(in: 0...mostLow, using: &random) : high - 1
        add(Scan(components: [component], band: first...last, high: high, low: low), &left)
    }

    /// Adds a scan of one bit of DC, of all components that want the same one, or of one.
    private mutating func addFurtherDC(
        _ component: Int, _ left: inout [[Int?]], _ random: inout SplitMix64
    ) {
        let high = left[component][0] ?? 0
        let alike = left.indices.filter { left[$0][0] == high }
        let together = alike.count == left.count && random.chance(0.7) ? alike : [component]
        add(Scan(components: together, band: 0...0, high: high, low: high - 1), &left)
    }

    private mutating func add(_ scan: Scan, _ left: inout [[Int?]]) {
        scans.append(scan)
        for component in scan.components {
            for index in scan.band { left[component][index] = scan.low }
        }
    }
}
