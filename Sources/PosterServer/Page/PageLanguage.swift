import Amodb

/// A language that lists are asked for in, as a tag of RFC 5646 such as `pt-BR`.
struct PageLanguage: Hashable, Sendable {
    /// The tag.
    let tag: String

    /// Takes a tag that looks like one: a language of letters, subtags of letters and digits, no
    /// longer than any that is in use. So it is fit for a URL, a cookie and an attribute.
    init?(_ text: some StringProtocol) {
        let subtags = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 20, (1...4).contains(subtags.count),
            (2...3).contains(subtags[0].count), subtags[0].allSatisfy(Self.isLetter),
            subtags.dropFirst().allSatisfy({ subtag in
                (2...8).contains(subtag.count)
                    && subtag.allSatisfy { Self.isLetter($0) || 0x30...0x39 ~= $0 }
            })
        else { return nil }
        tag = String(text)
    }

    private init(known tag: String) { self.tag = tag }

    /// The language where none is named.
    static let english = PageLanguage(known: ListRequest.defaultLanguage)

    /// The first of a browser's languages, by weight; `nil` when it names none.
    static func preferred(in acceptLanguage: String?) -> PageLanguage? {
        var best: (language: PageLanguage, weight: Double)?
        for entry in (acceptLanguage ?? "").split(separator: ",").prefix(32) {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = parts.first, let language = PageLanguage(name) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
                .map { Double($0.dropFirst(2)) ?? 0 }
            if weight ?? 1 > best?.weight ?? 0 { best = (language, weight ?? 1) }
        }
        return best?.language
    }

    /// The languages offered, each by its own name.
    static let offered: [(language: PageLanguage, name: String)] = [
        ("ar-SA", "العربية"), ("de-DE", "Deutsch"), ("en-US", "English"), ("es-ES", "Español"),
        ("fr-FR", "Français"), ("he-IL", "עברית"), ("hi-IN", "हिन्दी"), ("it-IT", "Italiano"),
        ("ja-JP", "日本語"), ("ko-KR", "한국어"), ("pl-PL", "Polski"), ("pt-BR", "Português"),
        ("ru-RU", "Русский"), ("th-TH", "ไทย"), ("tr-TR", "Türkçe"), ("uk-UA", "Українська"),
        ("zh-CN", "中文"),
    ].map { (PageLanguage(known: $0.0), $0.1) }

    /// Without its region.
    var base: String { tag.split(separator: "-").first.map { $0.lowercased() } ?? tag }

    private static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20
    }
}
