import PosterBase

/// The files of the page, which are part of the binary: no folder has to lie beside it.
enum PageAssets {
    /// The page's frame, with `{{slots}}`.
    private static let template = String(decoding: PackageResources.page_html, as: UTF8.self)

    /// A file that browsers ask for.
    struct Asset: Sendable {
        let path: String
        let contentType: String
        let body: [UInt8]
        /// From the bytes.
        let entityTag: String

        /// The path with the bytes' hash: it changes when they do, so browsers may keep them.
        var versionedPath: String { "\(path)?v=\(entityTag.dropFirst().prefix(8))" }

        init(_ name: String, _ contentType: String, _ body: [UInt8]) {
            path = "/assets/" + name
            self.contentType = contentType
            self.body = body
            entityTag = "\"\(ContentHash(of: body))\""
        }
    }

    static let style = Asset("page.css", "text/css; charset=utf-8", PackageResources.page_css)
    static let script = Asset("page.js", "text/javascript; charset=utf-8", PackageResources.page_js)
    static let icon = Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg)

    /// By its path.
    static func asset(at path: String) -> Asset? {
        [style, script, icon].first { $0.path == path }
    }

    /// The whole page around a part, with a bar above it.
    static func page(_ part: PagePart, bar: HTML, refresh: HTML = "") -> HTML {
        filled([
            "title": "\(part.title)", "refresh": refresh, "bar": bar, "part": part.html,
            "style": "\(style.versionedPath)", "script": "\(script.versionedPath)",
            "icon": "\(icon.versionedPath)",
        ])
    }

    /// The template with its slots filled. A slot without a value is empty.
    private static func filled(_ slots: [String: HTML]) -> HTML {
        var (page, rest) = ("", template[...])
        while let open = rest.firstRange(of: "{{"), let close = rest.firstRange(of: "}}") {
            page += rest[..<open.lowerBound]
            page += slots[String(rest[open.upperBound..<close.lowerBound])]?.text ?? ""
            rest = rest[close.upperBound...]
        }
        return HTML(trusted: page + rest)
    }
}
