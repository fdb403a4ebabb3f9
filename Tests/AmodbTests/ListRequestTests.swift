import Amodb
import Testing

@Suite struct ListRequestTests {
    @Test(
        "a path and query of the API pass as they are",
        arguments: [
            ("/trending/movie/week", ""), ("/trending/movie/week", "language=en-US"),
            ("/movie/603", "append_to_response=credits,ratings"), ("/movie/now_playing", "page=2"),
            ("/search/movie", "query=caf%C3%A9&year=1999"), ("/a.b/c-d/e_f", "x"),
            ("/list/1", "a=1&a=2&b"),
        ])
    func passes(path: String, query: String) throws {
        let request = try ListRequest(path: path, query: query)
        #expect(request.path == path)
        #expect(request.query == query)
        #expect(request.description == (query.isEmpty ? path : "\(path)?\(query)"))
    }

    @Test(
        "a path that could lead elsewhere is refused",
        arguments: [
            "", "/", "trending", "//trending", "/trending/", "/trending//week", "/.", "/..",
            "/a/../b", "/a/./b", "/%2e%2e/b", "/a%2fb", "/a b", "/a?b", "/a#b", "/a\\b", "/a\r\nb",
            "/a\u{0}", "/ä", "/a;b", "/a:b", "/http://x", "/~a",
        ])
    func pathRefused(path: String) {
        #expect(throws: ListRequestError.self) { try ListRequest(path: path) }
    }

    @Test(
        "a query that breaks a URL or a header is refused",
        arguments: ["a b", "a#b", "a\r\nb", "a\u{0}", "%", "%2", "%zz", "a=ä", "a=\"b\"", "<", "`"])
    func queryRefused(query: String) {
        #expect(throws: ListRequestError.self) { try ListRequest(path: "/a", query: query) }
    }

    @Test(
        "a key in the query goes no further",
        arguments: [
            ("api_key=k", ""), ("api_key=k&page=2", "page=2"), ("page=2&api_key=k", "page=2"),
            ("API_KEY=k", ""), ("api%5Fkey=k", ""), ("%61pi_key=k", ""), ("api_key", ""),
            ("api_key=a&api_key=b", ""), ("my_api_key=1&x=api_key", "my_api_key=1&x=api_key"),
        ])
    func keyDropped(query: String, left: String) throws {
        #expect(try ListRequest(path: "/a", query: query).query == left)
    }

    @Test func `a list is named as on the command line`() throws {
        let request = try ListRequest(list: "trending/movie/week")
        #expect(request.description == "/trending/movie/week")
        #expect(try ListRequest(list: "/trending/movie/week") == request)
        #expect(
            try ListRequest(list: "movie/popular", language: "pt-BR", page: 3).description
                == "/movie/popular?language=pt-BR&page=3")
        #expect(
            try ListRequest(list: "discover/movie?with_genres=27", language: "ru").description
                == "/discover/movie?language=ru&with_genres=27")
        #expect(
            try ListRequest(list: "discover/movie?language=de", language: "ru").query
                == "language=de")
        #expect(try ListRequest(list: "movie/popular", language: "").query == "")
    }

    @Test(
        "the same parameters in another order are the same request",
        arguments: [
            ("b=1&a=2", "a=2&b=1"), ("page=2&language=de", "language=de&page=2"),
            ("a=2&b&a=1", "a=2&a=1&b"), ("&a=1&&b=2&", "a=1&b=2"), ("%62=1&a", "a&%62=1"),
            ("ab=1&a=2", "a=2&ab=1"),
        ])
    func ordered(query: String, canonical: String) throws {
        let request = try ListRequest(path: "/a", query: query)
        #expect(request.query == canonical)
        #expect(try ListRequest(path: "/a", query: canonical) == request)
    }

    @Test func `a language is passed on as it is, and cannot add a parameter`() throws {
        let request = try ListRequest(list: "a", language: "en&api_key=k é")
        #expect(request.query == "language=en%26api_key%3Dk%20%C3%A9")
    }

    @Test func `pages begin at one`() {
        #expect(throws: ListRequestError.self) { try ListRequest(list: "a", page: 0) }
    }

    @Test func `very long ones are refused`() {
        let long = String(repeating: "a", count: 2100)
        #expect(throws: ListRequestError.self) { try ListRequest(path: "/\(long)") }
        #expect(throws: ListRequestError.self) { try ListRequest(path: "/a", query: long) }
    }
}
