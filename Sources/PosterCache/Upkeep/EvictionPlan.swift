import PosterBase

/// Finds how recent a use must be for a file to stay, in memory that does not grow with the
/// cache.
///
/// It is told every file. As long as they are few it keeps their times, which gives the exact
/// answer; if they are many it only counts them in ranges of time, gives the range in which the
/// answer lies, and is to be told again of the files within that range.
struct EvictionPlan {
    typealias Recency = EvictionRule.Recency
    typealias Amount = EvictionRule.Amount

    private struct Use {
        var recency: Recency
        var amount: Amount
    }

    /// What the plan came to.
    enum Outcome {
        /// Everything up to this goes.
        case upTo(Recency)
        /// Nothing need go.
        case nothing
        /// Tell again what was used in this range; what was used before it goes in any case.
        case within(EvictionPlan, Amount)
    }

    /// How many files' times are kept: 56 bytes each.
    static let exactLimit = 1 << 17
    private static let rangeCount: Int64 = 4096

    private let range: ClosedRange<Timestamp>
    private let exactLimit: Int
    private var uses: [Use] = []
    private var isExact = true
    private var sums = [Amount](repeating: Amount(), count: Int(rangeCount))

    init(_ range: ClosedRange<Timestamp>, exactLimit: Int = Self.exactLimit) {
        self.range = range
        self.exactLimit = exactLimit
    }

    /// Tells it of a file; one outside its range does not matter.
    mutating func add(_ recency: Recency, _ amount: Amount) {
        guard range.contains(recency.lastUse) else { return }
        let index = Int((recency.lastUse.nanoseconds - range.lowerBound.nanoseconds) / width)
        sums[index] += amount
        guard isExact else { return }
        uses.append(Use(recency: recency, amount: amount))
        if uses.count > exactLimit { (uses, isExact) = ([], false) }
    }

    /// Takes in what another plan of the same range was told.
    mutating func add(_ other: EvictionPlan) {
        for (index, sum) in other.sums.enumerated() { sums[index] += sum }
        isExact = isExact && other.isExact && uses.count + other.uses.count <= exactLimit
        uses = isExact ? uses + other.uses : []
    }

    private var width: Int64 {
        (range.upperBound.nanoseconds - range.lowerBound.nanoseconds) / Self.rangeCount + 1
    }

    /// Where the line is, given what must go.
    func outcome(_ need: Amount) -> Outcome {
        guard !need.isMet else { return .nothing }
        return isExact ? exactOutcome(need) : roughOutcome(need)
    }

    private func exactOutcome(_ need: Amount) -> Outcome {
        var need = need
        var last = Recency(end: Timestamp(nanoseconds: range.lowerBound.nanoseconds - 1))
        for use in uses.sorted(by: { $0.recency < $1.recency }) where !need.isMet {
            need -= use.amount
            last = use.recency
        }
        return .upTo(last)
    }

    private func roughOutcome(_ need: Amount) -> Outcome {
        var need = need
        for (index, sum) in sums.enumerated() {
            var after = need
            after -= sum
            guard after.isMet else {
                need = after
                continue
            }
            let start = range.lowerBound.nanoseconds + Int64(index) * width
            let end = min(start + width - 1, range.upperBound.nanoseconds)
            let found = Timestamp(nanoseconds: start)...Timestamp(nanoseconds: end)
            // A range of one moment cannot be told apart by time any more.
            guard width > 1 else { return .upTo(Recency(end: found.upperBound)) }
            return .within(EvictionPlan(found, exactLimit: exactLimit), need)
        }
        // Not even all of it is enough.
        return .upTo(Recency(end: range.upperBound))
    }
}

extension EvictionRule.Recency {
    /// The last that a use at a moment can be.
    fileprivate init(end moment: Timestamp) {
        (lastUse, isPoster, inode) = (moment, true, .max)
    }
}
