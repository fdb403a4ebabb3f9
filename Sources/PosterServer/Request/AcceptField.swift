import PosterImages

/// What a client says that it can show: an `Accept` field (RFC 9110, section 12.5.1).
struct AcceptField {
    /// By media range in lower case, in thousandths. A range that comes twice counts as the first.
    private var weights: [String: Int] = [:]

    /// Reads a field; parts that are no weighted media range count as not acceptable or not at all.
    init(_ text: String?) {
        for part in Self.split((text ?? "").utf8[...], at: UInt8(ascii: ",")) {
            let pieces = Self.split(part, at: UInt8(ascii: ";")).map(Self.lowercasedWord)
            guard let range = pieces.first, range.contains("/"), weights[range] == nil else {
                continue
            }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }
            weights[range] = weight.map { Self.thousandths($0.utf8.dropFirst(2)) } ?? 1000
        }
    }

    /// What `format=auto` means to this client: WebP where the field names it and likes it no less
    /// than JPEG, else JPEG.
    ///
    /// A wildcard names nothing: browsers that know WebP say so, and others send `image/*` too.
    var preferredFormat: ImageFormat {
        let webp = weights[ImageFormat.webp.mediaType] ?? 0
        let jpeg = weights[ImageFormat.jpeg.mediaType] ?? weights["image/*"] ?? weights["*/*"] ?? 0
        return webp > 0 && webp >= jpeg ? .webp : .jpeg
    }

    /// Splits at a delimiter, but within no quoted string (section 5.6.4).
    private static func split(
        _ text: Substring.UTF8View, at delimiter: UInt8
    ) -> [Substring.UTF8View] {
        var (isQuoted, isEscaped) = (false, false)
        return text.split { byte in
            if isQuoted, isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            return byte == delimiter && !isQuoted
        }
    }

    private static func lowercasedWord(_ text: Substring.UTF8View) -> String {
        Substring(text).lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// A weight (section 12.4.2): `0` to `1` with at most three decimals; 0 for anything else.
    private static func thousandths(_ text: Substring.UTF8View) -> Int {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""[...].utf8
        guard (1...2).contains(parts.count), parts[0].count == 1, decimals.count <= 3,
            let whole = Int(Substring(parts[0])),
            let rest = Int(Substring(decimals) + String(repeating: "0", count: 3 - decimals.count)),
            rest >= 0, (0...1000).contains(whole * 1000 + rest)
        else { return 0 }
        return whole * 1000 + rest
    }
}
