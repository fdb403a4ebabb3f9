import Testing

/// Starts one browser for all tests of a suite, and ends it after the last: a start takes longer
/// than most of them. Their pages have cookies and storage of their own, so none sees another's.
struct SharedBrowser: SuiteTrait, TestScoping {
    @TaskLocal private static var browser: Browser?

    /// The browser of the suite that the calling test belongs to.
    static var current: Browser {
        get throws {
            guard let browser else { throw Browser.Failure(description: "no browser was started") }
            return browser
        }
    }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await Self.$browser.withValue(Browser()) { try await body() }
    }
}
