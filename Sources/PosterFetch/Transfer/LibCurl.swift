import CCurl
package import PosterBase

/// libcurl, loaded when something is first fetched: linking it, with the forty libraries that it
/// brings, would lengthen the start of every other command by half.
enum LibCurl {
    private nonisolated(unsafe) static let loaded: Result<onesheet_curl, FetchError> = load()

    /// Its functions, with its global state set up. Throws `.other`, with the dynamic loader's
    /// reason, where they cannot be had. Blocks for some milliseconds the first time.
    static func functions() throws(FetchError) -> onesheet_curl { try loaded.get() }

    /// Whether it signs what an object store asks to be signed. 7.81 signs too little; the first
    /// that was tried and is right is 7.88.
    static func signs() throws(FetchError) -> Bool {
        onesheet_curl_version(try functions()) >= 0x07_58_00
    }

    private static func load() -> Result<onesheet_curl, FetchError> {
        let table = UnsafeMutablePointer<onesheet_curl>.allocate(capacity: 1)
        defer { table.deallocate() }
        if let reason = onesheet_curl_load(table) {
            let detail = "libcurl.so.4 cannot be loaded: \(String(cString: reason))"
            return .failure(FetchError(.other, detail))
        }
        guard table.pointee.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            return .failure(FetchError(.other, "libcurl does not start"))
        }
        return .success(table.pointee)
    }
}

extension Program {
    /// Loads what fetching needs, for a program that would rather not start than fail at its
    /// first fetch. Throws `.other` with one line that names what is missing.
    package static func requireHTTPClient() throws(FetchError) { _ = try LibCurl.functions() }

    /// As ``requireHTTPClient()``, for a program that uses an object store: throws as well where
    /// libcurl is too old to sign for one.
    package static func requireRequestSigning() throws(FetchError) {
        guard try LibCurl.signs() else {
            throw FetchError(.other, "a store needs libcurl 7.88 or later, which signs requests")
        }
    }
}
