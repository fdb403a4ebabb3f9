import PosterKit

/// Who may use the relay: `Authorization: Bearer TOKEN` (RFC 6750), compared in a time that does
/// not depend on how much of a token is right.
final class ClientTokens: Sendable {
    private let digests: Monitor<[TokenDigest]?>

    /// `nil` lets everybody in; an empty list nobody.
    init(_ tokens: [Secret]?) {
        digests = Monitor(tokens.map { $0.map { TokenDigest($0.revealed) } })
    }

    /// Puts other tokens in place, for the next request on.
    func replace(_ tokens: [Secret]?) {
        let new = tokens.map { $0.map { TokenDigest($0.revealed) } }
        digests.withLock { $0 = new }
    }

    /// Whether no token is needed.
    var isOpen: Bool { digests.withLock { $0 == nil } }

    /// Whether an `Authorization` header's value lets its sender in. The scheme's name may be in
    /// any case.
    func admit(_ authorization: String?) -> Bool {
        guard let digests = digests.withLock({ $0 }) else { return true }
        guard let authorization else { return false }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        let offered = TokenDigest(String(parts[1]))
        // All are compared, and each of them whole.
        return digests.reduce(false) { $0 || $1.equals(offered) }
    }
}

/// A token's hash, of one length for all tokens, so that comparing tells nothing of the length.
private struct TokenDigest: Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ token: String) {
        let hash = ContentHash(of: Array(token.utf8))
        (high, low) = (hash.high, hash.low)
    }

    func equals(_ other: TokenDigest) -> Bool {
        (high ^ other.high) | (low ^ other.low) == 0
    }
}
