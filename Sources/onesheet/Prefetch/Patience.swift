/// How long and how often a prefetch waits for a host that asks for a pause: 30 s at most, twice.
/// It is a background job; its user can start it again.
struct Patience: Equatable {
    /// The longest pause that is waited out, in seconds.
    static let longestSeconds = 30
    /// How many pauses are waited out.
    static let pauses = 2
    /// The pause where the host names none.
    static let usualSeconds = 5

    private(set) var left = pauses

    /// How long to wait for a pause of so many seconds; `nil`: not at all any more.
    mutating func wait(forSeconds seconds: Int?) -> Duration? {
        let seconds = seconds ?? Self.usualSeconds
        guard left > 0, seconds <= Self.longestSeconds else { return nil }
        left -= 1
        return .seconds(max(0, seconds))
    }
}
