import PosterBase

/// The file that `--clients` names: who may use the relay.
///
/// One token a line, of printable ASCII characters. Empty lines, lines that begin with `#`, and
/// what follows a token after a space and `#` are for people.
enum ClientsFile {
    private static let limit = 1 << 20

    /// Reads the tokens. Throws what is wrong, with the line's number and never its text: it may
    /// be half a secret.
    static func read(_ path: String) throws(Failure) -> [Secret] {
        let bytes: [UInt8]
        do throws(InputError) { bytes = try readInput(path, limit: limit) } catch {
            throw Failure(.configuration, "--clients: \(error.message)")
        }
        var tokens: [Secret] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard let token = words.first, !token.hasPrefix("#") else { continue }
            guard token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw refusal(path, index, "a token holds printable ASCII characters only")
            }
            if words.count > 1, !words[1].hasPrefix("#") {
                throw refusal(path, index, "there is more than one token on the line")
            }
            tokens.append(Secret(String(token)))
        }
        return tokens
    }

    private static func refusal(_ path: String, _ index: Int, _ rule: String) -> Failure {
        Failure(.configuration, "--clients \(quoted(path)), line \(index + 1): \(rule)")
    }
}
