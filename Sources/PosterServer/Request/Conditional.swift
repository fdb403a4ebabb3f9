import PosterBase
import PosterHTTP
import PosterKit

/// Preconditions of a GET or HEAD (RFC 9110, section 13), for a picture that is what was asked
/// for. For placeholders and errors they are not looked at.
enum Conditional {
    /// What a request's preconditions come to.
    enum Outcome: Equatable {
        /// Answer as if there were none.
        case proceed
        /// 304
        case notModified
        /// 412
        case failed
    }

    /// Evaluates them in the order of RFC 9110, section 13.2.2.
    static func evaluate(
        _ head: RequestHead, entityTag: String, modified: Timestamp, now: Timestamp
    ) -> Outcome {
        if let list = head.ifMatch {
            guard matches(list, entityTag, strongly: true) else { return .failed }
        } else if let text = head.ifUnmodifiedSince, let date = HTTPDate.parse(text, now: now) {
            guard modified.seconds <= date.seconds else { return .failed }
        }
        if let list = head.ifNoneMatch {
            return matches(list, entityTag, strongly: false) ? .notModified : .proceed
        }
        if let text = head.ifModifiedSince, let date = HTTPDate.parse(text, now: now) {
            return modified.seconds <= date.seconds ? .notModified : .proceed
        }
        return .proceed
    }

    /// Whether a `Range` may be honoured, by `If-Range` (section 13.1.5): a strong tag that is
    /// ours, or our date to the second, if it is old enough to be a strong validator.
    static func allowsRange(
        _ head: RequestHead, entityTag: String, modified: Timestamp, now: Timestamp
    ) -> Bool {
        guard let text = head.ifRange else { return true }
        if text.utf8.first == UInt8(ascii: "\"") { return text == entityTag }
        guard let date = HTTPDate.parse(text, now: now) else { return false }
        return date.seconds == modified.seconds && modified.seconds < now.seconds
    }

    /// Whether a list of entity tags holds ours. A part that is no entity tag ends the search.
    static func matches(_ list: String, _ entityTag: String, strongly: Bool) -> Bool {
        var rest = list.utf8[...]
        func skip(_ bytes: String) {
            rest = rest.drop { bytes.utf8.contains($0) }
        }
        skip(" \t")
        if rest.elementsEqual("*".utf8) { return true }
        while true {
            skip(" \t,")
            guard !rest.isEmpty else { return false }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            let tag = rest[...end]
            if tag.elementsEqual(entityTag.utf8), !(strongly && isWeak) { return true }
            rest = rest[rest.index(after: end)...]
            skip(" \t")
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return false }
        }
    }
}
