import Testing

@testable import PosterCache
@testable import PosterKit

@Suite struct MemoryTierTests {
    private let now = ContinuousClock.now

    /// Room for three values of 1000 bytes with what each takes beside them.
    private func tier() -> MemoryTier<String, Int> { MemoryTier(capacity: 3 * 1600) }

    private func fill(_ tier: MemoryTier<String, Int>, _ keys: String...) {
        for key in keys { tier.insert(key, key.count, bytes: 1000, checked: now) }
    }

    @Test func `a value comes back with the moment of its check`() {
        let tier = tier()
        tier.insert("a", 7, bytes: 10, checked: now)
        #expect(tier.value(for: "a")?.value == 7)
        #expect(tier.value(for: "a")?.checked == now)
        tier.insert("a", 8, bytes: 10, checked: now + .seconds(1))
        #expect(tier.value(for: "a")?.value == 8)
        #expect(tier.load.values == 1)
        #expect(tier.value(for: "b") == nil)
    }

    @Test func `the one used longest ago goes first`() {
        let tier = tier()
        fill(tier, "a", "b", "c")
        _ = tier.value(for: "a")
        fill(tier, "d")
        #expect(["a", "c", "d"].allSatisfy { tier.value(for: $0) != nil })
        #expect(tier.value(for: "b") == nil)
        fill(tier, "e", "f")
        #expect(tier.value(for: "a") == nil && tier.value(for: "c") == nil)
        #expect(tier.load.values == 3)
    }

    @Test func `a value that is too large for all is not kept and pushes nothing out`() {
        let tier = tier()
        fill(tier, "a", "b")
        tier.insert("b", 1, bytes: 1 << 20, checked: now)
        #expect(tier.value(for: "a") != nil)
        #expect(tier.value(for: "b") == nil)
        let none = MemoryTier<String, Int>(capacity: 0)
        none.insert("a", 1, bytes: 0, checked: now)
        #expect(none.value(for: "a") == nil)
    }

    @Test func `any order of use, insertion and removal keeps the bound and the order`() {
        let tier = tier()
        var model: [String] = []  // oldest first
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let key = "k\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                fill(tier, key)
                model = Array((model.filter { $0 != key } + [key]).suffix(3))
            case 1:
                #expect((tier.value(for: key) != nil) == model.contains(key))
                if model.contains(key) { model = model.filter { $0 != key } + [key] }
            default:
                tier.remove(key)
                model.removeAll { $0 == key }
            }
            #expect(tier.load.values == model.count)
            #expect(tier.load.bytes <= 3 * 1600)
        }
    }
}
