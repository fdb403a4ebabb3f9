import Amodb
import CCurl
import PosterBase

/// The request's header lines as libcurl takes them.
final class HeaderList {
    private let curl: onesheet_curl
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// Throws `.other` for a value that no header may hold, and when libcurl cannot be had.
    init(of request: FetchRequest) throws(FetchError) {
        curl = try LibCurl.functions()
        var lines = ["Accept: \(request.accept)"]
        if let tag = request.validators.entityTag { lines.append("If-None-Match: \(tag)") }
        if let date = request.validators.lastModified {
            lines.append("If-Modified-Since: \(date)")
        }
        if let key = request.bearer { lines.append("Authorization: Bearer \(key.revealed)") }
        lines += request.headers.map { "\($0.name): \($0.value)" }
        if let token = request.signature?.sessionToken {
            lines.append("x-amz-security-token: \(token.revealed)")
        }
        // A line break inside a value would begin another header.
        guard lines.allSatisfy({ $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }) else {
            throw FetchError(.other, "a header value with a character that no header may hold")
        }
        for line in lines {
            guard let longer = curl.slist_append(list, line) else {
                throw FetchError(.other, "out of memory")
            }
            list = longer
        }
    }

    deinit { curl.slist_free_all(list) }
}
