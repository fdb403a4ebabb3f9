import Testing

@Suite struct TintHeaderTests {
    @Test func `a poster and its thumbnails tell their tint, a placeholder has none`() throws {
        let site = try TestSite()
        let poster = try site.get("/t/p/w342/k7.jpg")
        let tint = try #require(poster.header("Onesheet-Tint"))
        #expect(tint.wholeMatch(of: /#[0-9a-f]{6}/) != nil)
        #expect(try site.get("/thumb/60x90/k7.jpg").header("Onesheet-Tint") == tint)
        #expect(try site.get("/thumb/60x90/none.jpg").header("Onesheet-Tint") == nil)
        #expect(try site.get("/placeholder/60x90").header("Onesheet-Tint") == nil)
    }

    @Test func `the page paints the tints of posters that are cached`() throws {
        let site = try TestSite()
        let before = try site.get("/?wait=1")
        #expect(!before.text.contains("fill=\"#"))
        let poster = try #require(before.text.firstMatch(of: /\/thumb\/60x90\/[^.]+\.jpg/))
        let tint = try #require(try site.get(String(poster.0)).header("Onesheet-Tint"))
        #expect(try site.get("/").text.contains("fill=\"\(tint)\""))
    }
}
