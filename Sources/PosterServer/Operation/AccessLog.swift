import Amodb
import PosterBase
import PosterHTTP

/// One line a request, for operators who ask for it. What comes from outside is quoted, escaped
/// and cut; a client's key or session in the query is left out.
public struct AccessLog: Sendable {
    /// How a line is written.
    public enum Format: String, CaseIterable, Sendable {
        /// `time=… client=… method="GET" target="/…" status=200 …`
        case logfmt
        /// One JSON object with the same keys (RFC 8259).
        case json
    }

    /// What a line tells.
    struct Entry: Sendable {
        /// When the answer was sent.
        var time: Timestamp
        /// The client's address; behind a trusted proxy, the one that the proxy names.
        var client: String
        /// As sent.
        var method: String
        /// As sent.
        var target: String
        var status: Int
        /// Bytes of the answer's body.
        var bytes: Int
        var route: RequestMetrics.RouteName
        /// What the cache did for it.
        var outcome: CacheOutcome
        /// From the head's last byte to the answer's.
        var milliseconds: Int64
    }

    private let format: Format
    private let write: @Sendable (String) -> Void

    /// Sends each line, without its newline, to `write`, which is called on the server's threads.
    public init(_ format: Format = .logfmt, _ write: @escaping @Sendable (String) -> Void) {
        self.format = format
        self.write = write
    }

    func write(_ entry: Entry) { write(Self.line(entry, format)) }

    static func line(_ entry: Entry, _ format: Format) -> String {
        let time = InternetDate.format(entry.time)
        let target = RelayQuery.withoutSecrets(entry.target)
        switch format {
        case .logfmt:
            return "time=\(time) client=\(entry.client) method=\(Quoted(entry.method)) "
                + "target=\(Quoted(target)) status=\(entry.status) bytes=\(entry.bytes) "
                + "route=\(entry.route) cache=\(entry.outcome) ms=\(entry.milliseconds)"
        case .json:
            let method = jsonString(String(entry.method.prefix(longest)))
            let target = jsonString(String(target.prefix(longest)))
            return "{\"time\":\"\(time)\",\"client\":\(jsonString(entry.client)),"
                + "\"method\":\(method),\"target\":\(target),\"status\":\(entry.status),"
                + "\"bytes\":\(entry.bytes),\"route\":\"\(entry.route)\","
                + "\"cache\":\"\(entry.outcome)\","
                + "\"ms\":\(entry.milliseconds)}"
        }
    }

    /// Characters of a value from outside; ``Quoted`` cuts at as many.
    private static let longest = 200
}
