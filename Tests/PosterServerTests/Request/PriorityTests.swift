import Testing

@testable import PosterHTTP
@testable import PosterServer

@Suite struct PriorityTests {
    @Test(
        "the lowest urgency is work in the background, and no other",
        arguments: [
            (nil, false), ("", false), ("u=7", true), ("u=7, i", true), ("i, u=7", true),
            (" u=7;x=1 ", true), ("u=3, u=7", true), ("u=7, u=3", false), ("u=6", false),
            ("u=70", false), ("u=-7", false), ("u = 7", false), ("U=7", false), ("u", false),
            ("u=7=7", false), (",,=,u=,;=7", false), ("uu=7", false), ("i", false),
        ] as [(String?, Bool)])
    func urgency(field: String?, isBackground: Bool) {
        var head = RequestHead()
        head.priority = field
        #expect(head.isBackground == isBackground)
    }
}
