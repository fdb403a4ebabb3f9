import Testing

@testable import FixtureOrigin

@Suite struct ArgumentsTests {
    @Test func `both spellings of an option are read`() throws {
        let arguments = try Arguments([
            "--fixtures", "here", "--port=81", "--key", "k", "--latency-ms=5",
        ])
        #expect(arguments.fixtures == "here")
        #expect(arguments.port == 81)
        #expect(arguments.key == "k")
        #expect(arguments.latency == .milliseconds(5))
        #expect(!arguments.wantsHelp)
        #expect(try Arguments(["--help"]).wantsHelp)
    }

    @Test(
        "a wrong command line says what is wrong",
        arguments: [
            (["--port", "65536"], "--port takes a number from 0 to 65535, not 65536"),
            (["--latency-ms=-1"], "--latency-ms takes a number from 0 to 60000, not -1"),
            (["--key"], "--key needs a value"), (["x"], "unknown argument x"),
        ])
    func refused(words: [String], complaint: String) {
        #expect(throws: OriginError.usage(complaint)) { try Arguments(words) }
    }
}
