import Foundation
import PosterBase
import PosterKit

/// Runs somebody else's program to its end: its exit code, its output, its messages.
func run(
    _ program: String, _ arguments: String...
) throws -> (status: Int32, output: [UInt8], text: String) {
    try run(program, arguments)
}

/// Runs somebody else's program to its end. `text` is its output and then its messages.
func run(
    _ program: String, _ arguments: [String]
) throws -> (status: Int32, output: [UInt8], text: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let (output, messages) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = messages
    // waitUntilExit() turns the run loop of its thread, and may miss the end on Linux.
    let ended = Monitor<Bool?>(nil)
    process.terminationHandler = { _ in
        ended.withLock { $0 = true }
        ended.notifyAll()
    }
    try process.run()
    // Few messages: they find room while the output is read.
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    let said = try messages.fileHandleForReading.readToEnd() ?? Data()
    _ = ended.wait { $0 }
    return (process.terminationStatus, Array(bytes), String(decoding: bytes + said, as: UTF8.self))
}
