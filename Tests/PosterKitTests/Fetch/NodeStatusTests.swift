import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct NodeStatusTests {
    @Test(
        "a node's answer is read from its member of Cache-Status",
        arguments: [
            ("onesheet; hit", .disk, true), ("onesheet; hit; detail=store", .store, true),
            ("onesheet; hit; detail=made", .made, true),
            ("onesheet; fwd=miss; fwd-status=200; stored", .fetched, true),
            ("onesheet; fwd=miss; fwd-status=200; stored; collapsed", .fetched, true),
            ("onesheet; fwd=miss; fwd-status=200", .fetched, false),
            ("onesheet; fwd=stale; fwd-status=200; stored", .refetched, true),
            ("onesheet; fwd=stale; fwd-status=304", .revalidated, true),
            // Who has a cache between adds a member of its own (RFC 9211, section 2).
            ("onesheet; hit, edge.example; fwd=uri-miss", .disk, true),
            ("shield; hit,onesheet;fwd=miss;fwd-status=200;stored", .fetched, true),
        ] as [(String, Answer.Source, Bool)])
    func fresh(text: String, source: Answer.Source, isStored: Bool) {
        let status = NodeStatus([text])
        #expect(status?.state == .fresh(source, secondsLeft: 0))
        #expect(status?.isStored == isStored)
    }

    @Test func `of several header lines the node's counts`() {
        let status = NodeStatus(["edge; hit", "onesheet; hit; detail=store"])
        #expect(status?.state == .fresh(.store, secondsLeft: 0))
    }

    @Test(
        "what stands in for a picture is a failure of upstream's",
        arguments: [
            "onesheet; fwd=stale; detail=stale-if-error", "onesheet; fwd=miss; detail=derived",
        ])
    func standIn(text: String) {
        switch NodeStatus([text])?.state {
        case .staleIfError(let error), .derived(let error): #expect(error.reason == .status5xx)
        case let other: Issue.record("\(text) is \(String(describing: other))")
        }
    }

    @Test("nobody of ours", arguments: [[], [""], ["edge; hit"], ["xonesheet; hit"], ["hit"]])
    func stranger(values: [String]) { #expect(NodeStatus(values) == nil) }

    @Test func `a tint is read as it is written`() {
        let tint = Tint(red: 0x0A, green: 0xFF, blue: 7)
        #expect(Tint(tint.description) == tint)
        for text in ["", "0aff07", "#0aff0", "#0aff077", "#0agf07", "#+aff07"] {
            #expect(Tint(text) == nil, "\(text)")
        }
    }
}
