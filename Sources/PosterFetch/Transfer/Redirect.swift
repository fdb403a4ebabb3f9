import Amodb
import CCurl

/// Follows a `Location` by one step, or refuses it: only to the same scheme, host and port.
///
/// A host may rename its pictures; it may not send the client elsewhere: RFC 9110, section 15.4,
/// leaves that to the client. libcurl's own following would allow other hosts, other
/// schemes and any number of steps.
enum Redirect {
    /// The statuses whose `Location` is followed.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The URL that the `Location` values of an answer to `url` lead to. Throws
    /// `.redirectRefused` with what is wrong.
    static func target(of locations: [String], from url: String) throws(FetchError) -> String {
        guard let location = locations.first, locations.count == 1 else {
            throw refused("\(locations.count) Location fields")
        }
        let path = location.prefix { $0 != "?" && $0 != "#" }
        guard !location.isEmpty, location.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            !location.utf8.contains(UInt8(ascii: "\\")), !hasDotSegment(path)
        else { throw refused("to \(Quoted(location))") }
        guard let base = try Parts(url), let next = try Parts(location, relativeTo: url) else {
            throw refused("to \(Quoted(location)), which is no URL")
        }
        guard !next.hasCredentials else { throw refused("to a URL with a user name") }
        guard next.origin == base.origin else {
            throw refused("from \(base.origin) to \(Quoted(next.origin))")
        }
        return next.url
    }

    private static func refused(_ why: String) -> FetchError {
        FetchError(.redirectRefused, why)
    }

    private static func hasDotSegment(_ path: Substring) -> Bool {
        path.split(separator: "/").contains { segment in
            [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
        }
    }

    /// The parts of a URL as libcurl's own parser sees them, so that what is checked is what
    /// would be asked.
    private struct Parts {
        let url: String
        let origin: String
        let hasCredentials: Bool

        init?(_ text: String, relativeTo base: String? = nil) throws(FetchError) {
            let curl = try LibCurl.functions()
            guard let handle = curl.url() else { return nil }
            defer { curl.url_cleanup(handle) }
            for text in [base, text].compactMap(\.self) {
                guard curl.url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
            }
            _ = curl.url_set(handle, CURLUPART_FRAGMENT, nil, 0)
            guard let url = Self.part(CURLUPART_URL, of: handle, curl),
                let scheme = Self.part(CURLUPART_SCHEME, of: handle, curl),
                let host = Self.part(CURLUPART_HOST, of: handle, curl),
                let port = Self.part(CURLUPART_PORT, of: handle, curl)
            else { return nil }
            self.url = url
            origin = "\(scheme)://\(host):\(port)".lowercased()
            hasCredentials =
                Self.part(CURLUPART_USER, of: handle, curl) != nil
                || Self.part(CURLUPART_PASSWORD, of: handle, curl) != nil
        }

        private static func part(
            _ part: CURLUPart, of handle: OpaquePointer, _ curl: onesheet_curl
        ) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            let code = curl.url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT))
            guard code == CURLUE_OK, let text else { return nil }
            defer { curl.free(text) }
            return String(cString: text)
        }
    }
}
