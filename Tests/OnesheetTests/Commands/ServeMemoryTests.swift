import Foundation
import PosterImages
import Testing
import TestSupport

@testable import FixtureOrigin

/// What `serve` holds on to after large pictures. Not run under a sanitizer, whose allocator is
/// another.
@Suite struct ServeMemoryTests {
    @Test(
        "memory that large pictures took goes back to the system",
        arguments: [ImageFormat.png, .jpeg])
    func givenBack(format: ImageFormat) throws {
        // As many pixels as are let in, and few bytes.
        let side = 4472
        let pixels = PixelBuffer(
            width: side, height: side, layout: .rgb,
            samples: [UInt8](repeating: 90, count: side * side * 3))
        var worker = ImageWorker()
        let giant = try worker.encode(pixels, format: format, quality: 80)
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program())
        func ask(_ name: String) throws {
            upstream.origin.put("/t/p/w185/\(name).jpg", giant)
            #expect(try server.get("/thumb/60x90/\(name).jpg?format=webp").status == 200)
        }
        for number in 0..<4 { try ask("early\(number)") }
        let before = try residentBytes(of: server)
        for number in 0..<8 { try ask("late\(number)") }
        // A byte for each pixel of each picture was 160 MB.
        #expect(try residentBytes(of: server) - before < 60 << 20)
    }

    /// What a server holds in memory (proc(5), `VmRSS`).
    private func residentBytes(of server: RunningServer) throws -> Int {
        let text = try String(
            contentsOfFile: "/proc/\(server.running.process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }
}
