import PosterBase

/// Who may use the relay: `Authorization: Bearer TOKEN` (RFC 6750), or a token in the place where
/// clients of the API have its key. Compared in a time that does not depend on how much of a token
/// is right.
final class ClientTokens: Sendable {
    private let tokens: Monitor<[Token]?>

    /// `nil` lets every client in; an empty list, none.
    init(_ tokens: [Secret]?) {
        self.tokens = Monitor(tokens.map { $0.map { Token($0.revealed) } })
    }

    /// Puts other tokens in place, for the next request on.
    func replace(_ tokens: [Secret]?) {
        let new = tokens.map { $0.map { Token($0.revealed) } }
        self.tokens.withLock { $0 = new }
    }

    /// Whether no token is needed.
    var isOpen: Bool { tokens.withLock { $0 == nil } }

    /// Whether an `Authorization` header's value lets its sender in. The scheme's name may be in
    /// any case.
    func admit(_ authorization: String?) -> Bool {
        guard !isOpen else { return true }
        guard let authorization else { return false }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        return admit(token: String(parts[1]))
    }

    /// Whether a text is a token.
    func admit(token: String) -> Bool {
        guard let tokens = tokens.withLock({ $0 }) else { return true }
        let offered = Array(token.utf8)
        // All are compared, whether or not one fitted already.
        return tokens.filter { $0.equals(offered) }.isEmpty == false
    }
}

/// A token that is compared whole whatever is offered: the time tells nothing of how much of it
/// is right, only the length of what was offered, which its sender knows.
private struct Token: Sendable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    func equals(_ offered: [UInt8]) -> Bool {
        var difference: UInt8 = bytes.count == offered.count ? 0 : 1
        for (index, byte) in offered.enumerated() {
            difference |= byte ^ (bytes.isEmpty ? 0xFF : bytes[index % bytes.count])
        }
        return difference == 0
    }
}
