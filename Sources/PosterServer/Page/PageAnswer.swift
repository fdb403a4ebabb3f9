import PosterBase

/// What the page answers.
struct PageAnswer: Sendable {
    /// The HTTP status.
    let status: Int
    /// All headers but `Date` and `Content-Length`; names and values hold no control characters.
    let headers: [(name: String, value: String)]
    /// The body.
    let body: [UInt8]

    /// The value of a header, by its name in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension PageAnswer {
    /// Everything comes from here, and nothing inline runs or styles.
    private static let policy = """
        default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """
    private static let guards = [
        (name: "Content-Security-Policy", value: policy),
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Referrer-Policy", value: "same-origin"),
    ]
    /// A year, in seconds.
    private static let year = 31_536_000

    /// A document. `isKept`: browsers keep it and ask whether it changed; `language`: what a
    /// cookie is to keep.
    static func html(
        _ html: HTML, status: Int, isKept: Bool, retryAfterSeconds: Int? = nil,
        language: PageLanguage? = nil
    ) -> PageAnswer {
        let body = Array(html.text.utf8)
        var headers = guards
        headers.append(("Content-Type", "text/html; charset=utf-8"))
        headers.append(("Vary", "Accept-Language, Cookie"))
        headers.append(("Cache-Control", isKept ? "private, no-cache" : "no-store"))
        if isKept { headers.append(("ETag", "\"\(ContentHash(of: body))\"")) }
        if let retryAfterSeconds { headers.append(("Retry-After", "\(retryAfterSeconds)")) }
        if let language {
            let cookie = "\(PageChoice.cookieName)=\(language.tag)"
            headers.append(
                ("Set-Cookie", "\(cookie); Path=/; Max-Age=\(year); SameSite=Lax; HttpOnly"))
        }
        return PageAnswer(status: status, headers: headers, body: body)
    }

    /// 303 to another address of the page.
    static func redirect(to address: String) -> PageAnswer {
        PageAnswer(
            status: 303,
            headers: guards + [("Location", address), ("Cache-Control", "no-store")], body: [])
    }

    /// A file of the page. Its address in the page changes with its bytes.
    static func asset(_ asset: PageAssets.Asset) -> PageAnswer {
        PageAnswer(
            status: 200,
            headers: guards + [
                ("Content-Type", asset.contentType), ("ETag", asset.entityTag),
                ("Cache-Control", "public, max-age=86400"),
            ], body: asset.body)
    }

    /// 404, with a way to the list.
    static func notFound(_ request: PageRequest) -> PageAnswer {
        let part = PagePart(
            state: .error, title: "Nothing here",
            content: """
                <div class="empty"><h2>There is nothing here.</h2><p></p>\
                <a class="button" href="/">To the films</a></div>
                """)
        let page = PageAssets.page(part, bar: PageBar.film(PageChoice(request)))
        return .html(page, status: 404, isKept: false)
    }
}
