// Faults as scripts name them in a query.
extension Fault {
    /// Every name that `fault=` knows.
    static let names = (makers.keys + ["sequence"]).sorted()

    /// Reads `fault=NAME` and its parameters; nil when the name or a needed value is no good.
    ///
    /// `fault=sequence&of=status,reset,normal` reads the parts with the same parameters.
    init?(_ query: Query) {
        guard let name = query["fault"], let fault = Self.named(name, query) else { return nil }
        self = fault
    }

    private static func named(_ name: String, _ query: Query) -> Fault? {
        guard name == "sequence" else { return makers[name]?(query) }
        let names = (query["of"] ?? "").split(separator: ",").map(String.init)
        let faults = names.compactMap { makers[$0]?(query) }
        return faults.isEmpty || faults.count < names.count ? nil : .sequence(faults)
    }

    private static let makers: [String: @Sendable (Query) -> Fault?] = [
        "normal": { _ in .normal },
        "status": {
            .status($0.code(503), headers: $0.headers, body: $0["body"].map { [UInt8]($0.utf8) })
        },
        "redirect": { query in query["to"].map { .redirect(query.code(302), to: $0) } },
        "headers": { .headers($0.headers) },
        "content-type": { .contentType($0["value"]) },
        "html": { _ in .html },
        "empty": { _ in .empty },
        "partial": { _ in .partial },
        "ignores-conditional": { _ in .ignoresConditional },
        "encoding": { .encoding($0["value"] ?? "br") },
        "gzip": { _ in .gzip },
        "gzip-bomb": { .gzipBomb(bytes: $0.number("bytes", 16 << 20)) },
        "delay": { .delay(.milliseconds($0.number("ms", 1000))) },
        "hang": { .hang(after: $0["after"].flatMap { Int($0) }) },
        "drip": {
            .drip(
                bytes: $0.number("bytes", 2), every: .milliseconds($0.number("ms", 1000)),
                endless: $0.isSet("endless"))
        },
        "short": { .short(after: $0.number("after", 1000)) },
        "cut": { .cut(after: $0.number("after", 1000)) },
        "http10": { .http10(withLength: $0.isSet("length")) },
        "chunked": { _ in .chunked },
        "broken-chunks": { query in
            ChunkBreak(rawValue: query["kind"] ?? "in-data").map {
                .brokenChunks($0, after: query.number("after", 1000))
            }
        },
        "reset": {
            .reset(after: $0.number("after", 1000), withLength: !$0.isSet("no-length"))
        },
        "refused": { _ in .refused },
        "endless": { .endless(chunked: !$0.isSet("close")) },
        "oversized": { .oversized(length: $0.number("bytes", 16 << 20)) },
        "excess": { .excess($0.number("bytes", 100)) },
        "content-length": { query in
            let values = query.all("value")
            return values.isEmpty ? nil : .contentLength(values)
        },
        "length-and-chunks": { _ in .lengthAndChunks },
        "header-bomb": { HeaderBomb(rawValue: $0["kind"] ?? "long-line").map { .headerBomb($0) } },
        "not-http": { NotHTTP(rawValue: $0["kind"] ?? "garbage").map { .notHTTP($0) } },
        "informational": { .informational($0.code(103), count: $0.number("count", 10)) },
        "flapping": {
            .flapping(
                .status($0.code(503), headers: $0.headers), percent: $0.number("percent", 50),
                seed: UInt64($0.number("seed", 1)))
        },
    ]
}

extension Query {
    /// A number that is not negative, or what it is when absent or unreadable.
    func number(_ name: String, _ otherwise: Int) -> Int {
        guard let number = self[name].flatMap({ Int($0) }), number >= 0 else { return otherwise }
        return number
    }

    /// A flag: there, and not `no` or `0`.
    fileprivate func isSet(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        return value != "no" && value != "0"
    }

    fileprivate func code(_ otherwise: Int) -> Int {
        let code = number("code", otherwise)
        return (100...999).contains(code) ? code : otherwise
    }

    /// `header=Name:Value`, any number of them, and `retry-after=` for short.
    fileprivate var headers: [Header] {
        let written = all("header").compactMap { line -> Header? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                String(line[..<colon]), String(line[line.index(after: colon)...]).trimmingBlanks()
            )
        }
        return written + all("retry-after").map { ("Retry-After", $0) }
    }
}
