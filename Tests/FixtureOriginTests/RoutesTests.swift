import Testing

@testable import FixtureOrigin

@Suite(.timeLimit(.minutes(2))) struct RoutesTests {
    private let folder: FixtureFolder
    private let origin: Origin

    init() throws {
        folder = FixtureFolder()
        origin = try Origin(fixtures: folder.path)
    }

    @Test func `a poster comes whole, with its type, length, tag, time and thirty days`() {
        defer { origin.stop() }
        let (response, ending) = fetch(origin.port, "/t/p/w342/abc.jpg")
        #expect(response.status == 200)
        #expect(response.body == FixtureFolder.poster)
        #expect(response.header("Content-Type") == "image/jpeg")
        #expect(response.header("Content-Length") == String(FixtureFolder.poster.count))
        #expect(response.header("Cache-Control") == "public, max-age=2592000")
        #expect(response.header("ETag")?.first == "\"")
        #expect(response.header("Last-Modified")?.hasSuffix(" GMT") == true)
        #expect(ending == .closed)
    }

    @Test func `an odd picture is served at any size, what does not exist at none`() {
        defer { origin.stop() }
        #expect(fetch(origin.port, "/t/p/w500/grey.png").response.status == 200)
        #expect(fetch(origin.port, "/t/p/w500/abc.jpg").response.status == 404)
    }

    @Test(
        "nothing outside its folders is served",
        arguments: [
            "/t/p/../secret.txt", "/t/p/w342/../../secret.txt", "/t/p/%2e%2e/secret.txt",
            "/t/p/..", "/t/p/", "/t/p//abc.jpg", "/secret.txt", "/", "//t/p/w342/abc.jpg",
            "/t/p/w342/abc.jpg/", "/t/p/./../secret.txt",
        ])
    func outside(target: String) {
        defer { origin.stop() }
        #expect(fetch(origin.port, target).response.status == 404)
        #expect(origin.requests(to: target) == 1)
    }

    @Test func `a conditional request for what the client has is answered 304 without a body`() {
        defer { origin.stop() }
        let whole = fetch(origin.port, "/t/p/w342/abc.jpg").response
        let tag = whole.header("ETag") ?? ""
        let date = whole.header("Last-Modified") ?? ""
        let expectations = [
            ("If-None-Match: \(tag)", 304), ("If-None-Match: \"other\", W/\(tag)", 304),
            ("If-None-Match: *", 304), ("If-None-Match: \"other\"", 200),
            ("If-Modified-Since: \(date)", 304),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 200),
            ("If-Modified-Since: yesterday", 200),
            ("If-None-Match: \"other\"\r\nIf-Modified-Since: \(date)", 200),
        ]
        for (line, status) in expectations {
            let response = fetch(origin.port, "/t/p/w342/abc.jpg", line).response
            #expect(response.status == status, "\(line)")
            #expect(response.header("ETag") == tag)
            #expect(response.body.isEmpty == (status == 304))
        }
    }

    @Test(
        "the list API refuses a wrong key in its own words",
        arguments: ["X-None: 1", "Authorization: Bearer wrong", "Authorization: fixture-key"])
    func refused(line: String) {
        defer { origin.stop() }
        let response = fetch(origin.port, "/3/trending/movie/week", line).response
        #expect(response.status == 401)
        #expect(response.text.hasPrefix("{\"status_code\":7,\"status_message\":"))
        #expect(response.text.hasSuffix("\"success\":false}"))
    }

    @Test(
        "lists are found by path, page and language",
        arguments: [
            ("/3/trending/movie/week", 200, "{\"page\":1}"),
            ("/3/trending/movie/week?language=ru-RU", 200, "{\"page\":1,\"ru\":1}"),
            ("/3/trending/movie/week?language=pt-BR&page=1", 200, "{\"page\":1}"),
            ("/3/trending/movie/week?page=2&language=ru-RU", 200, "{\"page\":2}"),
            (
                "/3/trending/movie/week?page=9", 200,
                "{\"page\":9,\"results\":[],\"total_pages\":2}\n"
            ),
            ("/3/trending/movie/week?append_to_response=credits", 200, "{\"page\":1}"),
            ("/3/trending/movie/week?language=../../../secret", 200, "{\"page\":1}"),
            (
                "/3/trending/movie/week?page=0", 400,
                "{\"status_code\":22,\"status_message\":"
                    + "\"page must be a number from 1 to 500\",\"success\":false}"
            ),
            (
                "/3/movie/1", 404,
                "{\"status_code\":34,\"status_message\":"
                    + "\"nothing is kept at this path\",\"success\":false}"
            ),
        ])
    func list(target: String, status: Int, body: String) {
        defer { origin.stop() }
        let response = fetch(origin.port, target, "Authorization: Bearer fixture-key").response
        #expect(response.status == status)
        #expect(response.text == body)
        #expect((response.header("Set-Cookie") != nil) == (status == 200))
        #expect((response.header("X-Internal") != nil) == (status == 200))
    }

    @Test func `bytes put at a path win over a fixture, and what was removed is gone`() {
        defer { origin.stop() }
        let path = "/t/p/w342/abc.jpg"
        origin.put(path, [1, 2, 3], headers: [("Content-Type", "image/png"), ("ETag", "W/\"1\"")])
        let put = fetch(origin.port, path).response
        #expect(put.body == [1, 2, 3])
        #expect(put.header("Content-Type") == "image/png")
        #expect(put.headers("ETag") == ["W/\"1\""])
        #expect(fetch(origin.port, path, "If-None-Match: \"1\"").response.status == 304)

        origin.remove(path)
        #expect(fetch(origin.port, path).response.status == 404)

        origin.reset()
        #expect(fetch(origin.port, path).response.body == FixtureFolder.poster)
    }

    @Test func `a list that was put needs the key too`() {
        defer { origin.stop() }
        origin.put("/3/discover/movie", Array("[]".utf8))
        #expect(fetch(origin.port, "/3/discover/movie").response.status == 401)
        let line = "Authorization: Bearer fixture-key"
        #expect(fetch(origin.port, "/3/discover/movie", line).response.text == "[]")
    }

    @Test func `methods that change anything are refused, and their body is read past`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.ask("/t/p/w342/abc.jpg", method: "POST", "Content-Length: 3")
        client.send("abc")
        let response = client.readResponse()
        #expect(response.status == 405)
        #expect(response.header("Allow") == "GET, HEAD")
        client.ask("/t/p/w342/abc.jpg")
        #expect(client.readResponse().status == 200)
    }

    @Test func `there is no origin without the folder it was told`() {
        origin.stop()
        #expect(throws: OriginError.noFixtures(path: "/nonexistent")) {
            try Origin(fixtures: "/nonexistent")
        }
    }
}
