import PosterBase
import PosterFetch

/// What an object store's answer means (Amazon S3 API Reference, "Error responses").
enum StoreAnswer {
    /// The code in the XML of an error, such as `NoSuchKey`; `nil` where there is none.
    static func code(_ response: FetchResponse) -> String? {
        let text = String(decoding: response.body.prefix(4096), as: UTF8.self)
        return element("Code", in: text[...]).map(String.init)
    }

    /// What lies between the first `<name>` and the next `</name>`.
    static func element(_ name: String, in text: Substring) -> Substring? {
        elements(name, in: text).first
    }

    /// The contents of every such element; none is looked into for others of its name.
    static func elements(_ name: String, in text: Substring) -> [Substring] {
        var (found, rest) = ([Substring](), text)
        while let start = position(of: "<\(name)>", in: rest) {
            rest = rest[start...].dropFirst(name.count + 2)
            guard let end = position(of: "</\(name)>", in: rest) else { break }
            found.append(rest[..<end])
            rest = rest[end...]
        }
        return found
    }

    private static func position(of word: String, in text: Substring) -> Substring.Index? {
        text.indices.first { text[$0] == "<" && text[$0...].hasPrefix(word) }
    }

    /// Whether there is such an object. Throws what the answer says beside that.
    static func judge(_ response: FetchResponse, now: Timestamp) throws(StoreError) -> Bool {
        let code = code(response)
        let detail = "status \(response.status)" + (code.map { " \($0)" } ?? "")
        switch (response.status, code) {
        case (200, _), (204, _): return true
        case (404, "NoSuchBucket"): throw StoreError(.noBucket, detail)
        case (404, _): return false
        case (_, "RequestTimeTooSkewed"), (_, "RequestInTheFuture"):
            throw StoreError(.clockSkew, "\(detail); \(clocks(response, now))")
        case (301, _), (307, _), (308, _), (_, "AuthorizationHeaderMalformed"):
            throw StoreError(.elsewhere, "\(detail); look at the region and the endpoint")
        case (401, _), (403, _), (_, "ExpiredToken"), (_, "InvalidToken"):
            throw StoreError(.denied, detail)
        case (429, _), (503, _):
            let asked = RetryAfter(response.values(of: "retry-after"), now: now)
            throw StoreError(
                .slowDown, detail, retryAfterSeconds: asked.isReadable ? asked.seconds : nil)
        case (500...599, _): throw StoreError(.serverError, detail)
        default: throw StoreError(.unexpected, detail)
        }
    }

    /// How far ahead of ours the store's clock is, as its answer's date says.
    static func lead(_ response: FetchResponse, now: Timestamp) -> Duration? {
        response.values(of: "date").first.flatMap { HTTPDate.parse($0, now: now) }.map { $0 - now }
    }

    /// A few words on how the two clocks differ.
    static func clocks(_ response: FetchResponse, _ now: Timestamp) -> String {
        guard let lead = lead(response, now: now) else { return "it does not tell its time" }
        let seconds = lead.components.seconds
        return "its clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") ours"
    }
}
