import Amodb
import Testing

@Suite struct PosterSizeTests {
    @Test(
        "the smallest size that covers a box is chosen, or the largest there is",
        arguments: [
            (60, 90, .w185), (185, 278, .w185), (186, 90, .w342), (120, 279, .w342),
            (342, 513, .w342), (343, 513, .w500), (500, 750, .w500), (501, 10, .w500),
            (2000, 3000, .w500), (120, nil, .w185), (nil, 279, .w342), (nil, nil, .w185),
        ] as [(Int?, Int?, PosterSize)])
    func covering(width: Int?, height: Int?, size: PosterSize) {
        #expect(PosterSize.smallest(coveringWidth: width, height: height) == size)
    }

    @Test(
        "only the exact tokens are sizes",
        arguments: ["w184", "W342", "w0342", "original", "", "w342 ", "w342_filter"])
    func refused(token: String) { #expect(PosterSize(rawValue: token) == nil) }
}

@Suite struct BaseURLTests {
    @Test(
        "an address is kept without its final slash",
        arguments: [
            ("https://img.amodb.dev/t/p", "https://img.amodb.dev/t/p"),
            ("http://127.0.0.1:8080/t/p/", "http://127.0.0.1:8080/t/p"),
            ("http://[::1]:80", "http://[::1]:80"), ("HTTP://Mirror", "HTTP://Mirror"),
        ])
    func kept(text: String, kept: String) throws {
        #expect(try BaseURL(text).description == kept)
    }

    @Test(
        "what is no base is refused under its rule",
        arguments: [
            ("", .scheme), ("img.amodb.dev", .scheme), ("ftp://host/", .scheme),
            ("file:///etc", .scheme), ("https://", .host), ("https:///t/p", .host),
            ("https://:80/", .host), ("https://user:pw@host/", .userinfo),
            ("https://host/?q", .query), ("https://host/#f", .query),
            ("https://ho st/", .characters), ("https://host/\r\nX: y", .characters),
        ] as [(String, BaseURLError.Rule)])
    func refused(text: String, rule: BaseURLError.Rule) {
        #expect(throws: BaseURLError(value: text, rule: rule)) { try BaseURL(text) }
    }

    @Test func `an image URL is the base, the size and the path, joined plainly`() throws {
        let path = try PosterPath("/AbC-1_2.jpeg")
        #expect(
            BaseURL.amodbImages.url(of: path, size: .w500)
                == "https://img.amodb.dev/t/p/w500/AbC-1_2.jpeg")
    }

    @Test func `the origin is scheme, host and port`() throws {
        #expect(try BaseURL("http://Mirror:8080/t/p").origin == "http://mirror:8080")
    }
}
