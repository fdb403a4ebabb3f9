/// What a well-behaved image host and list API answer, before any fault.
struct Routes: Sendable {
    let content: ContentStore
    /// The key that the list API asks for as a Bearer token.
    let key: String
    /// The bucket of an object store beside them; nil for none.
    var bucket: BucketRoutes?

    /// The full answer: conditions in the request are not looked at.
    func answer(to request: Request) -> Answer {
        if let answer = bucket?.answer(to: request) { return answer }
        guard request.method == "GET" || request.method == "HEAD" else {
            return Answer(status: 405, headers: [("Allow", "GET, HEAD")])
        }
        let path = request.path
        if path.hasPrefix("/3/") { return list(path, request) }
        if path.hasPrefix("/t/p/") { return image(path) }
        guard case .some(.some(let item)) = content.change(at: path) else {
            return Answer(status: 404)
        }
        return Answer(status: 200, headers: item.headers, body: item.bytes)
    }

    private func image(_ path: String) -> Answer {
        let segments = path.dropFirst("/t/p/".count).split(
            separator: "/", omittingEmptySubsequences: false)
        let item: ContentStore.Item?
        if let change = content.change(at: path) {
            item = change
        } else if segments.count == 2 {
            item =
                content.file("posters/\(segments[0])/\(segments[1])")
                ?? content.file("odd/\(segments[1])")
        } else {
            item = nil
        }
        guard let item else {
            return Answer(
                status: 404, headers: [("Content-Type", "text/plain")],
                body: Array("no such image\n".utf8))
        }
        let answer = Answer(status: 200, headers: item.headers, body: item.bytes)
        guard item.headers.first(named: "cache-control") == nil else { return answer }
        return answer.replacing([("Cache-Control", "public, max-age=2592000")])
    }

    /// A list, a page of it, or details. `append_to_response` is accepted: the fixtures are whole.
    private func list(_ path: String, _ request: Request) -> Answer {
        guard request.header("authorization") == "Bearer \(key)" else {
            return .refusal(401, code: 7, "the key is missing or wrong")
        }
        guard let page = Int(request.query["page"] ?? "1"), (1...500).contains(page) else {
            return .refusal(400, code: 22, "page must be a number from 1 to 500")
        }
        let item: ContentStore.Item?
        if let change = content.change(at: path) {
            item = change
        } else {
            item = file(
                "api/" + path.dropFirst("/3/".count), page: page,
                language: request.query["language"])
        }
        guard let item else { return .refusal(404, code: 34, "nothing is kept at this path") }
        // What an edge adds and a relay must not pass on.
        return Answer(status: 200, headers: item.headers, body: item.bytes).replacing([
            ("Cache-Control", "public, max-age=1800"),
            ("Set-Cookie", "edge=fixture; Path=/; HttpOnly"),
            ("X-Internal", "node-7"),
        ])
    }

    private func file(_ name: String, page: Int, language: String?) -> ContentStore.Item? {
        let base = page == 1 ? name : "\(name).page\(page)"
        if let language, let item = content.file("\(base).\(language).json") { return item }
        if let item = content.file("\(base).json") { return item }
        guard page > 1, content.file("\(name).json") != nil else { return nil }
        let last = (1..<page).last { content.file("\(name).page\($0).json") != nil } ?? 1
        let text = "{\"page\":\(page),\"results\":[],\"total_pages\":\(last)}\n"
        return ContentStore.Item(
            bytes: Array(text.utf8),
            headers: [("Content-Type", "application/json; charset=utf-8")])
    }
}
