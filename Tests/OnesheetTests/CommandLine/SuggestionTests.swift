import Testing

@testable import onesheet

@Suite struct SuggestionTests {
    @Test(
        "a typing error is recognised",
        arguments: [
            ("prefech", "prefetch"), ("perfetch", "prefetch"), ("thumbnial", "thumbnail"),
            ("sevre", "serve"), ("gte", "get"), ("verify!", "verify"),
        ])
    func near(typed: String, meant: String) {
        #expect(nearest(to: typed, among: Self.names) == meant)
    }

    @Test("what is far from everything gets no suggestion", arguments: ["", "x", "delete", "gxx"])
    func far(typed: String) {
        #expect(nearest(to: typed, among: Self.names) == nil)
    }

    @Test(
        "the distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1),
            ("abc", "axc", 1), ("kitten", "sitting", 3),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(editDistance(left, right) == expected)
        #expect(editDistance(right, left) == expected)
    }

    private static let names = ["get", "prefetch", "prune", "serve", "thumbnail", "verify"]
}
