import Foundation
import Testing
import TestSupport

@testable import PosterImages
@testable import PosterKit
@testable import PosterPlaceholders

@Suite struct PlaceholderArtistTests {
    private let artist = PlaceholderArtist()

    @Test(
        "is drawn at the exact size",
        arguments: [
            (1, 1), (1, 3000), (2000, 1), (7, 5), (60, 90), (120, 180), (342, 513), (400, 225),
            (2000, 3000),
        ])
    func size(width: Int, height: Int) throws {
        for kind in PlaceholderRequest.Kind.allCases {
            let pixels = try artist.draw(
                PlaceholderRequest(width: width, height: height, kind: kind, title: "Metropolis"))
            #expect(pixels.width == width && pixels.height == height)
            #expect(pixels.layout == .bgrx)
            #expect(pixels.samples.count == width * height * 4)
        }
    }

    @Test func `the same request gives the same pixels, another seed or title others`() throws {
        let first = try draw(title: "Stalker", seed: "/a.jpg")
        #expect(try draw(title: "Stalker", seed: "/a.jpg") == first)
        #expect(try draw(title: "Stalker", seed: "/b.jpg") != first)
        #expect(try draw(title: "Solaris", seed: "/a.jpg") != first)
        #expect(try draw(title: nil, seed: "/a.jpg") != first)
    }

    @Test func `what a worker drew before shows in no placeholder`() throws {
        var worker = ImageWorker()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            let request = try PlaceholderRequest(
                width: Int.random(in: 1...900, using: &random),
                height: Int.random(in: 1...900, using: &random),
                kind: PlaceholderRequest.Kind.allCases.randomElement(using: &random)!,
                title: Bool.random(using: &random) ? "Stalker" : nil,
                format: ImageFormat.allCases.randomElement(using: &random)!)
            var fresh = ImageWorker()
            #expect(try worker.placeholder(request) == fresh.placeholder(request), "\(request)")
        }
    }

    @Test func `without a seed the title gives the hue`() throws {
        #expect(try draw(title: "Stalker", seed: "") == draw(title: "Stalker", seed: "Stalker"))
    }

    @Test func `many threads at once draw the same pixels`() async throws {
        let expected = try draw(title: "Иди и смотри 七人の侍", seed: "s")
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 {
                group.addTask { try self.draw(title: "Иди и смотри 七人の侍", seed: "s") }
            }
            for try await pixels in group { #expect(pixels == expected) }
        }
    }

    @Test func `the two kinds differ by far in lightness`() throws {
        for seed in ["/a.jpg", "/b.jpg", "Metropolis", ""] {
            let missing = meanSample(try draw(title: "Metropolis", seed: seed, .missing))
            let unavailable = meanSample(try draw(title: "Metropolis", seed: seed, .unavailable))
            #expect(unavailable - missing > 75)
        }
    }

    @Test(
        "a script that a font covers is set",
        arguments: [
            "The Return of the King", "Łódź: Ærø", "Иди и смотри", "Ο Θίασος", "كفرناحوم",
            "ואלס עם באשיר", "पथेर पांचाली", "องค์บาก", "卧虎藏龙", "霸王別姬", "七人の侍", "기생충",
            "🎬 🚀", "Nghệ thuật yêu",
        ].filter(InstalledFonts.cover))
    func script(title: String) throws {
        #expect(try draw(title: title, seed: "s") != draw(title: nil, seed: "s"))
    }

    /// Kawi, which came with Unicode 15 and few fonts cover.
    private static let kawi = "\u{11F04}\u{11F05}"

    @Test(.enabled(if: !InstalledFonts.cover(kawi), "a font of this machine has the letters"))
    func `letters that no font has leave the mark alone`() throws {
        #expect(try draw(title: Self.kawi, seed: "s") == draw(title: nil, seed: "s"))
    }

    @Test func `markup is text`() throws {
        let plain = try draw(title: "Bold", seed: "s")
        #expect(try draw(title: "<b>Bold</b>", seed: "s") != plain)
        #expect(try draw(title: "<span", seed: "s") != draw(title: nil, seed: "s"))
    }

    @Test(
        "what turns or hides text changes nothing",
        arguments: [
            "abc\u{202E}def", "abc\u{2066}def", "\u{200F}abcdef", "abc\u{AD}def", "abc\u{FEFF}def",
            "\u{0}abcdef\u{7}", "  abcdef\n\n", "abc\u{E0041}def", "abcdef\u{E000}",
        ])
    func hidden(title: String) throws {
        #expect(try draw(title: title, seed: "s") == draw(title: "abcdef", seed: "s"))
    }

    @Test(
        "a title of nothing that can be seen leaves the mark alone",
        arguments: [" ", "\u{0}\u{1}", "\u{202E}\u{200B}", "\u{3000}\n"])
    func empty(title: String) throws {
        #expect(try draw(title: title, seed: "s") == draw(title: nil, seed: "s"))
    }

    @Test(
        "a hostile title is drawn all the same",
        arguments: [
            String(repeating: "W", count: 200), String(repeating: "W ", count: 100),
            String(repeating: "\u{1F468}\u{200D}", count: 200),
            "a" + String(repeating: "\u{0301}", count: 100_000),
            String(repeating: "\u{FDFA}", count: 200), String(repeating: "क्ष", count: 200),
        ])
    func hostile(title: String) throws {
        for (width, height) in [(60, 90), (342, 513), (90, 2000), (2000, 90)] {
            let pixels = try artist.draw(
                PlaceholderRequest(width: width, height: height, kind: .missing, title: title))
            #expect(pixels.samples.count == width * height * 4)
        }
    }

    @Test func `without any font the mark is drawn`() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let fontless = directory.path + "/fonts.conf"
            try Data("<fontconfig></fontconfig>".utf8).write(to: URL(filePath: fontless))
            setenv("FONTCONFIG_FILE", fontless, 1)
            let artist = PlaceholderArtist()
            let titled = try artist.draw(
                PlaceholderRequest(
                    width: 60, height: 90, kind: .missing, title: "Stalker", seed: "s"))
            let untitled = try artist.draw(
                PlaceholderRequest(width: 60, height: 90, kind: .missing, seed: "s"))
            #expect(titled.samples == untitled.samples)
        }
    }

    private func draw(
        title: String?, seed: String, _ kind: PlaceholderRequest.Kind = .missing
    ) throws -> [UInt8] {
        try artist.draw(
            PlaceholderRequest(width: 120, height: 180, kind: kind, title: title, seed: seed)
        ).samples
    }

    private func meanSample(_ samples: [UInt8]) -> Int {
        samples.reduce(0) { $0 + Int($1) } / samples.count
    }
}
