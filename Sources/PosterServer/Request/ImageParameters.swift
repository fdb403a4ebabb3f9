import Amodb
import PosterImages
import PosterKit
import PosterPlaceholders

/// Reads what the image routes are asked for: route and query together make a ``PosterRequest`` or
/// a ``PlaceholderRequest``, or throw a 400 that names the parameter.
enum ImageParameters {
    private static let look: Set<String> = ["fit", "dpr", "q", "format"]
    private static let ofThumbnail = look.union(["title", "fallback"])
    private static let ofPoster = ofThumbnail.union(["w", "h"])
    private static let lookOrBox = look.union(["w", "h"])
    private static let ofPlaceholder: Set<String> = ["title", "kind", "dpr", "format"]

    /// Whether the format of the answer is the client's: then the answer varies with `Accept`.
    static func isNegotiated(_ query: Substring?) -> Bool {
        Query.values(of: "format", in: query).contains(Format.auto.rawValue)
    }

    /// `/t/p/{size}/{file}`: the poster as it is, or a thumbnail of it as soon as one parameter
    /// asks for another look. Without `w` and `h` that is as wide as the size.
    static func request(
        poster path: PosterPath?, size: PosterSize, query text: Substring?, accept: String? = nil
    ) throws(RequestRefusal) -> PosterRequest {
        let query = try Query(text, known: ofPoster)
        let isPlain = query.isEmpty || !lookOrBox.contains { query[$0] != nil }
        var rendition = PosterRequest.Rendition.poster(size)
        if !isPlain {
            let (width, height) = (try side("w", query), try side("h", query))
            let defaultWidth = height == nil ? size.width : nil
            rendition = .thumbnail(
                try variant(
                    width ?? defaultWidth, height, query, names: "w, h", source: size, accept))
        }
        return try request(path, rendition, query)
    }

    /// `/thumb/{W}x{H}/{file}`.
    static func request(
        thumbnail path: PosterPath?, width: Int, height: Int, query text: Substring?,
        accept: String? = nil
    ) throws(RequestRefusal) -> PosterRequest {
        let query = try Query(text, known: ofThumbnail)
        let variant = try variant(width, height, query, names: "{W}x{H}", source: nil, accept)
        return try request(path, .thumbnail(variant), query)
    }

    /// `/placeholder/{W}x{H}`.
    static func placeholder(
        width: Int, height: Int, query text: Substring?, accept: String? = nil
    ) throws(RequestRefusal) -> PlaceholderRequest {
        let query = try Query(text, known: ofPlaceholder)
        let (ratio, format) = (try pixelRatio(query), try format(query, accept))
        let kind = try choice("kind", query, PlaceholderRequest.Kind.self) ?? .missing
        let title = try title(query)
        do {
            return try PlaceholderRequest(
                width: Int((Double(width) * ratio).rounded()),
                height: Int((Double(height) * ratio).rounded()), kind: kind, title: title,
                seed: title ?? "", format: format)
        } catch { throw .parameter("{W}x{H} with dpr", error.description) }
    }

    private static func request(
        _ path: PosterPath?, _ rendition: PosterRequest.Rendition, _ query: Query
    ) throws(RequestRefusal) -> PosterRequest {
        PosterRequest(
            path, rendition, title: try title(query),
            drawsPlaceholder: try choice("fallback", query, Fallback.self) != .error)
    }

    private enum Fallback: String, CaseIterable {
        case placeholder, error
    }

    private enum Format: String, CaseIterable {
        case jpeg, png, webp, auto
    }

    private static func format(
        _ query: Query, _ accept: String?
    ) throws(RequestRefusal) -> ImageFormat {
        switch try choice("format", query, Format.self) {
        case .jpeg, nil: .jpeg
        case .png: .png
        case .webp: .webp
        case .auto: AcceptField(accept).preferredFormat
        }
    }

    private static func variant(
        _ width: Int?, _ height: Int?, _ query: Query, names: String, source: PosterSize?,
        _ accept: String?
    ) throws(RequestRefusal) -> ThumbnailVariant {
        let ratio = try pixelRatio(query)
        let quality = try number("q", query, in: 1...100) ?? ThumbnailVariant.defaultQuality
        let fit = try choice("fit", query, ThumbnailVariant.Fit.self) ?? .cover
        let format = try format(query, accept)
        func pixels(_ side: Int?) -> Int? {
            side.map { Int((Double($0) * ratio).rounded()) }
        }
        do {
            return try ThumbnailVariant(
                width: pixels(width), height: pixels(height), fit: fit, quality: quality,
                format: format, source: source)
        } catch { throw .parameter("\(names) with dpr", error.description) }
    }

    private static func side(_ name: String, _ query: Query) throws(RequestRefusal) -> Int? {
        try number(name, query, in: 1...Route.sideLimit)
    }

    private static func number(
        _ name: String, _ query: Query, in range: ClosedRange<Int>
    ) throws(RequestRefusal) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = wholeNumber(text[...], in: range) else {
            let (least, most) = (range.lowerBound, range.upperBound)
            throw .parameter(name, "\(Quoted(text)) is not a whole number of \(least)…\(most)")
        }
        return number
    }

    /// `dpr`: browsers write `devicePixelRatio` as any decimal, such as 2.625.
    private static func pixelRatio(_ query: Query) throws(RequestRefusal) -> Double {
        guard let text = query["dpr"] else { return 1 }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDecimal =
            (1...2).contains(parts.count) && text.utf8.count <= 20
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } }
        guard isDecimal, let ratio = Double(text), (1...4).contains(ratio) else {
            throw .parameter("dpr", "\(Quoted(text)) is not a number of 1…4")
        }
        return ratio
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ query: Query, _ type: Choice.Type
    ) throws(RequestRefusal) -> Choice? {
        guard let text = query[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .parameter(name, "\(Quoted(text)) is none of \(all)")
        }
        return choice
    }

    private static func title(_ query: Query) throws(RequestRefusal) -> String? {
        guard let title = query["title"] else { return nil }
        guard title.count <= PlaceholderRequest.maxTitleLength else {
            throw .parameter(
                "title",
                "has \(title.count) characters; the limit is \(PlaceholderRequest.maxTitleLength)")
        }
        guard title.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .parameter("title", "\(Quoted(title)) holds a control character")
        }
        return title
    }
}
