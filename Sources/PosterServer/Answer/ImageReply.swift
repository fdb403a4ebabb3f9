import PosterBase
import PosterHTTP
import PosterImages
import PosterKit
import PosterPlaceholders

/// Turns what the store gave into an HTTP answer: the table of poster states, conditions,
/// ranges.
enum ImageReply {
    /// What every image says of itself. A poster is passed on byte for byte, so what hides in
    /// its metadata must stay dead in a browser.
    private static let dead = HeaderFields([
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
    ])

    /// Seconds for which an answer may be kept that is not quite what was asked for.
    static let secondsOfStandIn = 60
    /// Seconds for which it may be kept that there is no poster.
    static let secondsOfAbsence = 3600

    /// The colour that stands for the poster until it comes, as `#rrggbb`.
    static let tintHeader = "Onesheet-Tint"

    /// The answer to a request.
    static func make(
        _ answer: Answer, to request: PosterRequest, _ head: RequestHead, tint: Tint? = nil,
        now: Timestamp
    ) -> Reply {
        guard let picture = answer.picture else {
            return request.drawsPlaceholder ? busy : withoutPicture(answer)
        }
        var headers = headers(
            of: picture, secondsToKeep(answer.state), CacheStatus.text(for: answer))
        if let tint { headers.add(tintHeader, tint.description) }
        var reply: Reply
        if case .absent = answer.state {
            reply = Reply(200, headers, .picture(picture, 0..<picture.bytes.count))
        } else {
            headers.add("Accept-Ranges", "bytes")
            reply = conditional(picture, headers, head, now)
        }
        reply.outcome = CacheOutcome(answer.state)
        return reply
    }

    /// A placeholder that was asked for as such.
    static func make(placeholder picture: Picture, kind: PlaceholderRequest.Kind) -> Reply {
        let headers = headers(of: picture, seconds(of: kind), CacheStatus.placeholder(kind))
        var reply = Reply(200, headers, .picture(picture, 0..<picture.bytes.count))
        reply.outcome = CacheOutcome(kind)
        return reply
    }

    private static func headers(
        of picture: Picture, _ seconds: Int, _ cacheStatus: String
    ) -> HeaderFields {
        var headers = HeaderFields()
        headers.reserve(512)
        headers.add("Content-Type", picture.format.mediaType)
        headers.add("Cache-Control", "public, max-age=\(seconds)")
        headers.add("Cache-Status", cacheStatus)
        headers.add("ETag", picture.entityTag)
        headers.add("Last-Modified", picture.lastModified)
        headers += dead
        return headers
    }

    /// No picture and nothing drawn: the machine has no room for it just now.
    static let busy = Reply(
        RequestRefusal(503, "busy", "too much is being done already; try again"),
        headers: [("Retry-After", "1")])

    private static func conditional(
        _ picture: Picture, _ headers: HeaderFields, _ head: RequestHead,
        _ now: Timestamp
    ) -> Reply {
        let (tag, modified) = (picture.entityTag, picture.made)
        switch Conditional.evaluate(head, entityTag: tag, modified: modified, now: now) {
        case .notModified:
            return .notModified(headers)
        case .failed:
            return Reply(
                RequestRefusal(412, "precondition_failed", "the picture is another by now"))
        case .proceed: break
        }
        let length = picture.bytes.count
        guard head.method == "GET", head.range != nil,
            Conditional.allowsRange(head, entityTag: tag, modified: modified, now: now)
        else { return Reply(200, headers, .picture(picture, 0..<length)) }
        switch ByteRange(head.range, length: length) {
        case .whole: return Reply(200, headers, .picture(picture, 0..<length))
        case .part(let range):
            let shown = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
            var headers = headers
            headers.add("Content-Range", shown)
            return Reply(206, headers, .picture(picture, range))
        case .unsatisfiable:
            return Reply(
                RequestRefusal(416, "range_not_satisfiable", "the picture has \(length) bytes"),
                headers: [("Content-Range", "bytes */\(length)")])
        }
    }

    private static func secondsToKeep(_ state: Answer.State) -> Int {
        switch state {
        // In whole minutes, so that it is the same for all answers of a minute.
        case .fresh(_, let secondsLeft): max(0, secondsLeft) / 60 * 60
        case .staleIfError, .derived: secondsOfStandIn
        case .absent(let unavailability): seconds(of: unavailability.placeholderKind)
        }
    }

    private static func seconds(of kind: PlaceholderRequest.Kind) -> Int {
        switch kind {
        case .missing: secondsOfAbsence
        case .unavailable: secondsOfStandIn
        }
    }

    /// The errors of `fallback=error`.
    private static func withoutPicture(_ answer: Answer) -> Reply {
        guard case .absent(let unavailability) = answer.state else { return busy }
        let status: [(name: String, value: String)] = [
            ("Cache-Status", CacheStatus.text(for: answer))
        ]
        switch unavailability {
        case .noPoster:
            return Reply(
                RequestRefusal(404, "no_poster", "the film has no poster"), headers: status)
        case .missing:
            return Reply(
                RequestRefusal(404, "poster_not_found", "upstream has no such poster"),
                headers: status)
        case .failed(let error) where error.reason == .busy || error.reason == .closed:
            return busy
        case .failed(let error) where error.isTimeout:
            return Reply(
                RequestRefusal(504, "upstream_timeout", "upstream did not answer in time"),
                headers: status)
        case .failed:
            return Reply(
                RequestRefusal(502, "upstream_unavailable", "upstream has no usable poster now"),
                headers: status)
        }
    }
}
