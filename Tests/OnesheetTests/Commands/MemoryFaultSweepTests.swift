import Foundation
import PosterImages
import PosterKit
import Testing
import TestSupport

@testable import onesheet

/// Refuses the image libraries one allocation, another one from run to run: the picture that needed
/// it fails by name, the others are made, and no thread is lost. An allocation that Swift itself
/// asks for ends the process by design and is not refused here.
@Suite struct MemoryFaultSweepTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let format: ImageFormat
        var testDescription: String { "\(file) to \(format.rawValue)" }
    }

    static let rows = [
        Row(file: "odd/progressive.jpg", format: .jpeg), Row(file: "odd/rgba.png", format: .png),
        Row(file: "odd/444.jpg", format: .webp), Row(file: "odd/interlaced.png", format: .jpeg),
    ]

    @Test("a refused allocation costs one picture and nothing else", arguments: rows)
    func sweep(row: Row) throws {
        var program = BuiltProgram()
        let names = ["a", "b", "c"]
        for name in names { try program.write("\(name).in", try Upstream.bytes(row.file)) }
        let log = program.directory.path + "/refused"
        // One in seventeen, unless all are asked for.
        let isFull = ProcessInfo.processInfo.environment["ONESHEET_EVERY_FAULT"] != nil
        var (number, failures) = (1, 0)
        while true {
            program.environment = [
                "LD_PRELOAD": try Self.library.get(), "FAULTY_MEMORY_LOG": log,
                "FAULTY_MEMORY_AT": String(number),
            ]
            let outcome = try program.run(
                ["thumbnail", "--size", "30x45", "--format", row.format.rawValue, "--json"]
                    + ["-o", "%s.out"] + names.map { $0 + ".in" })
            guard unlink(log) == 0 else { break }
            let counts = try outcome.numbers("made", "failed")
            let place: Comment = "allocation \(number): \(outcome.messages)"
            #expect([[3, 0], [2, 1]].contains(counts), place)
            #expect(outcome.status == counts[1], place)
            #expect(counts[1] == 0 || outcome.messages.contains("codec failed"), place)
            failures += counts[1]
            let files = program.directory.files().filter { $0.hasSuffix(".out") }
            #expect(files.count == counts[0], place)
            for file in files {
                #expect(ImageFormat(firstBytes: try program.bytes(file)) == row.format, place)
                unlink("\(program.directory.path)/\(file)")
            }
            number += isFull ? 1 : 17
        }
        #expect(number > 60 && failures > 2, "\(failures) failures of \(number) allocations")
    }

    private static let home = TemporaryDirectory()
    private static let library = PreloadedLibrary.compiled(
        "FaultyMemory/faulty_memory.c", in: home)
}
