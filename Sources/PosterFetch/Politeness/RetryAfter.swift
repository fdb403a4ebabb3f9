package import PosterBase

/// How long an answer asks to be left alone (RFC 9110, section 10.2.3), read from every form
/// that is seen in the wild.
package struct RetryAfter: Hashable, Sendable {
    /// The pause when the field is absent or unreadable.
    static let unreadablePause = Duration.seconds(5)
    /// The least pause: what a date that has passed already comes to.
    static let leastPause = Duration.seconds(1)
    /// The longest pause that a host is granted.
    static let longestPause = Duration.seconds(3600)

    /// The pause, between ``leastPause`` and ``longestPause``.
    let pause: Duration
    /// Whether a value said so, or ``unreadablePause`` stands in.
    package let isReadable: Bool

    /// Reads the field's values: seconds, or a date in any of the three forms of HTTP. Of several
    /// the longest pause counts.
    package init(_ values: [String], now: Timestamp) {
        let pauses = values.compactMap { Self.pause(of: $0, now: now) }
        isReadable = !pauses.isEmpty
        pause = min(
            max(pauses.max() ?? Self.unreadablePause, Self.leastPause), Self.longestPause)
    }

    /// `pause` in whole seconds, rounded up.
    package var seconds: Int { pause.wholeSeconds }

    private static func pause(of value: String, now: Timestamp) -> Duration? {
        let text = value.trimmingSpaces()
        if let date = HTTPDate.parse(String(text), now: now) { return date - now }
        // A proxy may have joined two fields with a comma (RFC 9110, section 5.3).
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let seconds = parts.map { self.seconds(of: $0.trimmingSpaces()) }
        guard !seconds.contains(nil), let most = seconds.compactMap(\.self).max() else {
            return nil
        }
        return .seconds(most)
    }

    /// Digits only: not `1.5`, `1e3`, `60abc`, `-5` or `+5`. Too many digits are very many.
    private static func seconds(of text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text) ?? .max
    }
}

extension Duration {
    /// In seconds, rounded up, as `Retry-After` and people count.
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, .max - 1)) + (attoseconds > 0 ? 1 : 0)
    }
}
