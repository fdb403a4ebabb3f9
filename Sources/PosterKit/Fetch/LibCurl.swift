import CCurl

/// libcurl, loaded when something is first fetched: linking it, with the forty libraries that it
/// brings, would lengthen the start of every other command by half.
enum LibCurl {
    private nonisolated(unsafe) static let loaded: Result<onesheet_curl, FetchError> = load()

    /// Its functions, with its global state set up. Throws `.other`, with the dynamic loader's
    /// reason, where they cannot be had. Blocks for some milliseconds the first time.
    static func functions() throws(FetchError) -> onesheet_curl { try loaded.get() }

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
    public static func requireHTTPClient() throws(FetchError) { _ = try LibCurl.functions() }
}
