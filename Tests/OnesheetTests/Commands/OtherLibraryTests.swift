import PosterKit
import Testing
import TestSupport

/// With a libjpeg-turbo of another version than the program was built for, the fast decoder is off.
@Suite struct OtherLibraryTests {
    private static let home = TemporaryDirectory()
    private static let library = PreloadedLibrary.compiled("OtherJPEG/other_jpeg.c", in: home)

    @Test func `thumbnails are the same bytes`() throws {
        var program = BuiltProgram()
        for file in ["odd/420.jpg", "odd/progressive.jpg", "odd/grey.jpg", "odd/restart.jpg"] {
            let words = [
                "thumbnail", "--size", "40x40", "-o", "made", "\(Upstream.fixtures)/\(file)",
            ]
            program.environment = [:]
            #expect(try program.run(words).status == 0)
            let made = try program.bytes("made")
            program.environment = ["LD_PRELOAD": try Self.library.get()]
            let outcome = try program.run(words)
            #expect(outcome.status == 0 && outcome.messages == "", "\(outcome.messages)")
            #expect(try program.bytes("made") == made, "\(file)")
        }
    }

    @Test func `the server says so in one line and counts what it costs`() throws {
        let upstream = try Upstream()
        var program = upstream.program()
        program.environment["LD_PRELOAD"] = try Self.library.get()
        let server = try RunningServer(program)
        let path = try Upstream.trendingPaths()[0]
        #expect(try server.get("/t/p/w185\(path)").status == 200)
        let page = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(page.contains("onesheet_jpeg_fast_decodes_total 0\n"))
        #expect(page.contains("onesheet_jpeg_fallbacks_total{reason=\"version\"} 1\n"))
        server.running.signal(15)
        let lines = try server.running.wait().messages.split(separator: "\n")
            .filter { $0.contains("event=fast_jpeg_off") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("another version") }, "\(lines)")
    }
}
