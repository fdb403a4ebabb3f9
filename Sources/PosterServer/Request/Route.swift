import Amodb

/// Where a request leads, read from its path alone. Parameters come after.
enum Route: Hashable, Sendable {
    /// `/t/p/{size}/{file}`; the path is `nil` where the film has no poster.
    case poster(PosterPath?, PosterSize)
    /// `/thumb/{W}x{H}/{file}`, in CSS pixels.
    case thumbnail(PosterPath?, width: Int, height: Int)
    /// `/placeholder/{W}x{H}`
    case placeholder(width: Int, height: Int)
    /// `/3/…`, without the `/3`.
    case relay(path: String)
    /// `/` and what belongs to the page.
    case page(path: String)
    /// `/healthz`
    case healthz
    /// `/readyz`
    case readyz
    /// `/metrics`
    case metrics

    /// The most CSS pixels a side may be asked for.
    static let sideLimit = 2000

    /// Reads a path. Throws 404 for what is no route and 400 for a route's bad value; neither
    /// has touched disk or network.
    init(path: Substring) throws(RequestRefusal) {
        if let rest = path.after("/t/p/") {
            self = try Self.poster(rest)
        } else if let rest = path.after("/thumb/") {
            let (box, file) = Self.splitRendition(rest)
            let (width, height) = try Self.box(box)
            self = .thumbnail(try Self.posterPath(file), width: width, height: height)
        } else if let rest = path.after("/placeholder/") {
            let (width, height) = try Self.box(rest)
            self = .placeholder(width: width, height: height)
        } else if path == "/3" || path.hasPrefix("/3/") {
            self = .relay(path: String(path.dropFirst(2)))
        } else {
            switch path {
            case "/healthz": self = .healthz
            case "/readyz": self = .readyz
            case "/metrics": self = .metrics
            case _ where TrendingPage.owns(path: String(path)): self = .page(path: String(path))
            default: throw RequestRefusal(404, "not_found", "no route \(Quoted(String(path)))")
            }
        }
    }

    private static func poster(_ rest: Substring) throws(RequestRefusal) -> Route {
        let (token, file) = splitRendition(rest)
        guard let size = PosterSize(rawValue: String(token)) else {
            let sizes = PosterSize.allCases.map(\.rawValue).joined(separator: ", ")
            throw .parameter("size", "\(Quoted(String(token))) is none of \(sizes)")
        }
        return .poster(try posterPath(file), size)
    }

    /// Splits `w342/abc.jpg` before the slash, and `w342null`, which a front end makes of a null
    /// path by blind joining, before the `null`.
    private static func splitRendition(_ text: Substring) -> (Substring, Substring) {
        if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            return (text[..<slash], text[slash...])
        }
        let end = text.hasSuffix("null") ? text.index(text.endIndex, offsetBy: -4) : text.endIndex
        return (text[..<end], text[end...])
    }

    private static func posterPath(_ file: Substring) throws(RequestRefusal) -> PosterPath? {
        do {
            return try PosterPath.parse(String(file))
        } catch {
            throw RequestRefusal(400, "bad_poster_path", error.description)
        }
    }

    private static func box(_ text: Substring) throws(RequestRefusal) -> (Int, Int) {
        guard let cross = text.utf8.firstIndex(of: UInt8(ascii: "x")),
            let width = wholeNumber(text[..<cross], in: 1...sideLimit),
            let height = wholeNumber(text[text.utf8.index(after: cross)...], in: 1...sideLimit)
        else {
            throw .parameter(
                "{W}x{H}", "\(Quoted(String(text))) is not two numbers of 1…\(sideLimit)")
        }
        return (width, height)
    }
}

/// Reads decimal digits, without sign, spaces or leading zeros, if they are within `range`.
func wholeNumber(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
    let bytes = text.utf8
    guard (1...9).contains(bytes.count), bytes.count == 1 || bytes.first != 0x30 else { return nil }
    var number = 0
    for byte in bytes {
        guard 0x30...0x39 ~= byte else { return nil }
        number = number * 10 + Int(byte - 0x30)
    }
    return range.contains(number) ? number : nil
}

extension Substring {
    /// What follows a prefix, if it is there.
    fileprivate func after(_ prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8)
            ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
    }
}
