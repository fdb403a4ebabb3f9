/// Bounds how much retries may add to a host's load: an ailing host must not be asked three times
/// as much as a healthy one. (Site Reliability Engineering, O'Reilly 2016, chapter 21.)
struct RetryBudget: Sendable {
    /// Retries that a host is granted before it has been asked anything.
    static let reserve = 10
    /// Requests that earn one retry.
    static let requestsPerRetry = 3

    /// In thirds of a retry, so that nothing is rounded.
    private var balance = reserve * requestsPerRetry

    /// A first attempt.
    mutating func earn() {
        balance = min(balance + 1, Self.reserve * Self.requestsPerRetry)
    }

    /// Takes a retry out. `false`: none is left.
    mutating func spend() -> Bool {
        guard balance >= Self.requestsPerRetry else { return false }
        balance -= Self.requestsPerRetry
        return true
    }
}
