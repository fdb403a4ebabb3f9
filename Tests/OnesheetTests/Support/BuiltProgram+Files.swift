import Foundation
import PosterKit
import Testing
import TestSupport

extension BuiltProgram {
    /// A file of the program's working directory.
    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)")))
    }

    /// Puts a file into the program's working directory.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(directory.path)/\(name)"))
    }

    /// Puts a folder into the program's working directory.
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/\(name)", withIntermediateDirectories: true)
    }

    /// Sets a file's last change to so many seconds ago.
    func age(_ name: String, seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
            ofItemAtPath: "\(directory.path)/\(name)")
    }

    /// A picture's `WIDTHxHEIGHT`, as its own header says.
    func size(_ name: String) throws -> String {
        let bytes = try bytes(name)
        func number(at index: Int, count: Int) throws -> Int {
            try #require(index + count <= bytes.count)
            return bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
        }
        if bytes.first == 0x89 {
            return "\(try number(at: 16, count: 4))x\(try number(at: 20, count: 4))"
        }
        var index = 2
        while try number(at: index, count: 2) & 0xFFFC != 0xFFC0 {
            index += 2 + (try number(at: index + 2, count: 2))
        }
        return "\(try number(at: index + 7, count: 2))x\(try number(at: index + 5, count: 2))"
    }
}
