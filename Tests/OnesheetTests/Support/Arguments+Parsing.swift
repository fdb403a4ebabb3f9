import Foundation

@testable import onesheet

extension Arguments {
    /// getopt_long(3) has one state for the process, and tests run side by side.
    private static let parser = NSLock()

    /// What a command makes of words and variables.
    static func parsed(
        _ words: [String], for command: Command, _ variables: [String: String] = [:]
    ) throws -> Arguments {
        try parser.withLock {
            try Arguments(words, for: command, Environment(Array(variables.keys)) { variables[$0] })
        }
    }
}
