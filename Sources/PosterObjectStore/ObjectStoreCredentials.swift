public import PosterBase
import PosterFetch

/// Whom requests to an object store say to come from.
public struct ObjectStoreCredentials: Hashable, Sendable {
    /// The key's public half.
    public let accessKey: String
    /// What requests are signed with; it is never sent.
    public let secretKey: Secret
    /// What a key that ends soon comes with.
    public let sessionToken: Secret?

    /// Puts them together.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
    }

    /// Reads a file in the form of `~/.aws/credentials`: its section `[default]`, or the lines
    /// before any section. Throws one line that says what is missing, and nothing of what is there.
    public init(file text: String) throws(ObjectStoreCredentialsError) {
        var fields: [String: String] = [:]
        var isOurs = true
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingSpaces()
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                isOurs =
                    line.hasSuffix("]") && line.dropFirst().dropLast().trimmingSpaces() == "default"
                continue
            }
            guard isOurs, let sign = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: sign)...].trimmingSpaces()
            fields[line[..<sign].trimmingSpaces().lowercased()] = String(value)
        }
        try self.init(
            accessKey: fields["aws_access_key_id"], secretKey: fields["aws_secret_access_key"],
            sessionToken: fields["aws_session_token"])
    }

    /// Checks what was found somewhere; an empty token is none.
    public init(
        accessKey: String?, secretKey: String?, sessionToken: String?
    ) throws(ObjectStoreCredentialsError) {
        guard let accessKey, !accessKey.isEmpty else { throw .noAccessKey }
        guard let secretKey, !secretKey.isEmpty else { throw .noSecretKey }
        let token = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
        guard [accessKey, secretKey, token ?? ""].allSatisfy(Self.isWord) else { throw .characters }
        self.init(
            accessKey: accessKey, secretKey: Secret(secretKey),
            sessionToken: token.map { Secret($0) })
    }

    /// One word of printable ASCII, fit for a header.
    private static func isWord(_ text: String) -> Bool {
        text.utf8.count <= 8192 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

/// Why there are no credentials in what was read.
public enum ObjectStoreCredentialsError: String, Error, Sendable, CustomStringConvertible {
    case noAccessKey = "there is no access key (aws_access_key_id)"
    case noSecretKey = "there is no secret key (aws_secret_access_key)"
    case characters = "a key is one word of printable ASCII characters"

    /// One line.
    public var description: String { rawValue }
}
