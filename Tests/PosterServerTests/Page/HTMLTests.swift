import Testing

@testable import PosterServer

@Suite struct HTMLTests {
    @Test(
        "what is interpolated is escaped",
        arguments: [
            ("a & b", "a &amp; b"), ("<b>", "&lt;b&gt;"),
            ("\" onclick='x'", "&quot; onclick=&#39;x&#39;"),
            ("a\u{0}b\u{1B}[31m\r\n", "ab[31m"), ("Ο Θίασος 🎬", "Ο Θίασος 🎬"),
            ("&amp;", "&amp;amp;"),
        ])
    func escaped(text: String, html: String) {
        let result: HTML = "<p>\(text)</p>"
        #expect(result.text == "<p>\(html)</p>")
    }

    @Test func `HTML in HTML stays as it is`() {
        let inner: HTML = "<b>\("&")</b>"
        let outer: HTML = "<p>\(inner)\(7)</p>"
        #expect(outer.text == "<p><b>&amp;</b>7</p>")
    }
}
