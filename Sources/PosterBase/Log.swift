import Amodb
import Glibc

/// Where lines for the operator go: one line a change of state, in logfmt
/// (`level=warn event=disk_full path="…"`), never one a request.
public struct Log: Sendable {
    /// How much a line matters.
    public enum Level: String, Sendable {
        /// A state changed, as expected.
        case info
        /// Something is worse than it should be; service goes on.
        case warn
        /// Something that an operator must mend.
        case error
    }

    private let write: @Sendable (Level, String) -> Void

    /// Sends each finished line (without its newline) to `write`.
    public init(_ write: @escaping @Sendable (Level, String) -> Void) { self.write = write }

    /// Standard error, a line a write, so that lines of several threads do not mix.
    public static let standardError = Log { _, line in
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Nowhere.
    public static let silent = Log { _, _ in }

    /// Writes one line. `event` and the fields' names are our own words in snake case; values
    /// may come from outside and are quoted and escaped where they are not plain.
    public func callAsFunction(
        _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]
    ) {
        let tail = fields.map { " \($0.key)=\(Self.value($0.value))" }.joined()
        write(level, "level=\(level.rawValue) event=\(event)\(tail)")
    }

    private static func value(_ text: String) -> String {
        let plain =
            !text.isEmpty
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
        return plain && text.utf8.count <= 200 ? text : Quoted(text).description
    }
}
