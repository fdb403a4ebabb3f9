import Foundation
import PictureGenerator
import Testing

@testable import PosterImages
@testable import PosterKit

/// Faults that cost no pixel: the picture is shown as if they were not there, by both decoders, and
/// what follows the first scan changes nothing. Faults that cost pixels are refused.
@Suite struct JPEGRepairsTests {
    private static let kinds = [
        "420", "422", "444", "440", "411", "grey", "rgb", "restart", "progressive", "cmyk-adobe",
        "ycck", "scans-apart", "arithmetic", "arithmetic-progressive", "17x33", "sampled-1x4",
        "exif-6", "icc-wide",
    ]

    /// A fault, put into a correct picture. Returns whether it fits the picture.
    enum Fault: CaseIterable {
        case version, transform, scanHeader, lateJFIF, lateAdobe, lateEXIF, lateProfile, shortJFIF
        case strayBytes, strayStuffing

        func put(into jpeg: inout JPEGParts, _ random: inout SplitMix64) -> Bool {
            func insert(_ marker: UInt8, _ payload: [UInt8], at place: Int) {
                jpeg.parts.insert(.init(marker: marker, payload: payload), at: place)
            }
            /// Between the first scan and the end.
            func late() -> Int {
                Int.random(in: jpeg.firstScan + 1..<jpeg.parts.count, using: &random)
            }
            let jfif = Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
            let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0]
            switch self {
            case .version:
                guard let place = jpeg.parts.firstIndex(where: { $0.marker == 0xE0 }) else {
                    return false
                }
                jpeg.parts[place].payload[5] = [0, 2, 3, 255].randomElement(using: &random) ?? 2
            case .transform:
                let components = jpeg.parts.first { $0.marker == jpeg.frame }?.payload[5] ?? 0
                if let place = jpeg.parts.firstIndex(where: { $0.marker == 0xEE }) {
                    guard jpeg.parts[place].payload[11] != 0 else { return false }
                    jpeg.parts[place].payload[11] = UInt8.random(in: 3...255, using: &random)
                } else {
                    // Without JFIF libjpeg asks Adobe; with it nothing depends on the transform.
                    guard components == 3, !jpeg.parts.contains(where: { $0.marker == 0xEE }),
                        jpeg.parts.contains(where: { $0.marker == 0xE0 })
                    else { return false }
                    if Bool.random(using: &random) { jpeg.parts.removeAll { $0.marker == 0xE0 } }
                    insert(0xEE, adobe + [UInt8.random(in: 2...255, using: &random)], at: 0)
                }
            case .scanHeader:
                guard ![0xC2, 0xCA].contains(jpeg.frame) else { return false }
                for place in jpeg.parts.indices where jpeg.parts[place].marker == 0xDA {
                    let end = jpeg.parts[place].payload.count
                    for byte in end - 3..<end where Bool.random(using: &random) {
                        jpeg.parts[place].payload[byte] = UInt8.random(in: 0...63, using: &random)
                    }
                }
            case .strayBytes, .strayStuffing:
                // Behind SOI it would be no JPEG to a browser, and behind a scan its data.
                let places = jpeg.parts.indices.dropFirst().filter {
                    jpeg.parts[$0 - 1].marker != 0xDA
                }
                guard let place = places.randomElement(using: &random) else { return false }
                let count = Int.random(in: 1...20, using: &random)
                jpeg.stray[place] =
                    self == .strayStuffing
                    ? [0xFF, 0] : (0..<count).map { _ in .random(in: 0...254, using: &random) }
            case .lateJFIF: insert(0xE0, jfif, at: late())
            case .lateAdobe:
                insert(0xEE, adobe + [UInt8.random(in: 0...255, using: &random)], at: late())
            case .lateEXIF:
                let tiff: [UInt8] =
                    [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1]
                    + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
                insert(0xE1, Array("Exif\0\0".utf8) + tiff, at: late())
            case .lateProfile:
                guard let wide = try? Fixtures.bytes("odd/icc-wide.jpg"),
                    let part = JPEGParts(wide).parts.first(where: { $0.marker == 0xE2 })
                else { return false }
                insert(0xE2, part.payload, at: late())
            case .shortJFIF:
                insert(0xE0, Array(jfif.prefix(Int.random(in: 5..<14, using: &random))), at: 0)
            }
            return true
        }
    }

    @Test(
        "every harmless fault, alone and with others, changes no byte of what is made",
        arguments: kinds)
    func harmless(name: String) throws {
        let whole = try Fixtures.bytes("odd/\(name).jpg")
        var random = SplitMix64(seed: UInt64(whole.count))
        let together = (0..<6).map { _ in
            Fault.allCases.filter { _ in Bool.random(using: &random) }
        }
        try Self.compare(whole, Fault.allCases.map { [$0] } + together, &random, name)
    }

    @Test func `the same holds for pictures that are drawn from a seed`() throws {
        var pictures = PictureGenerator(seed: 14)
        var random = SplitMix64(seed: 14)
        for _ in 0..<60 {
            let picture = pictures.next()
            let together = (0..<3).map { _ in
                Fault.allCases.filter { _ in Bool.random(using: &random) }
            }
            try Self.compare(picture.bytes, together, &random, picture.summary)
        }
    }

    /// Puts faults into a picture and compares what is made of it.
    private static func compare(
        _ whole: [UInt8], _ cases: [[Fault]], _ random: inout SplitMix64, _ name: String
    ) throws {
        let variants = try ["2000x3000-contain-q82.png", "20x30-cover-q82.jpeg"].map {
            try #require(ThumbnailVariant($0))
        }
        var workers = Workers()
        let wanted = try workers.both(JPEGParts(whole).bytes, variants)
        #expect(wanted.fast == wanted.library, "\(name)")
        for faults in cases {
            var jpeg = JPEGParts(whole)
            var isFaulty = false
            for fault in faults where fault.put(into: &jpeg, &random) { isFaulty = true }
            guard isFaulty else { continue }
            let bytes = jpeg.bytes
            let made = try workers.both(bytes, variants)
            #expect(made == wanted, "\(name): \(faults)")
            if let seen = try DJPEG.pixels(bytes) {
                #expect(seen == (try DJPEG.pixels(whole)), "\(faults): the oracle disagrees")
            }
        }
    }

    /// A fast decoder and the library's own.
    private struct Workers: ~Copyable {
        var fast = ImageWorker()
        var library = ImageWorker(decodesFast: false)

        struct Made: Equatable {
            let fast: [[UInt8]]
            let library: [[UInt8]]
        }

        mutating func both(_ bytes: [UInt8], _ variants: [ThumbnailVariant]) throws -> Made {
            let limits = ImageLimits()
            #expect(try fast.verify(bytes, limits: limits) == library.verify(bytes, limits: limits))
            return Made(
                fast: try fast.thumbnails(of: bytes, as: variants, limits: limits),
                library: try library.thumbnails(of: bytes, as: variants, limits: limits))
        }
    }

    @Test func `without JFIF a transform that libjpeg does not know means YCbCr or YCCK`() throws {
        for transform: UInt8 in [2, 3, 255] {
            var jpeg = JPEGParts(try Fixtures.bytes("odd/420.jpg"))
            jpeg.parts.removeAll { $0.marker == 0xE0 }
            let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
            jpeg.parts.insert(.init(marker: 0xEE, payload: adobe), at: 0)
            let walk = try JPEGWalk(jpeg.bytes, limits: .init())
            #expect(walk.color == .yCbCr && !walk.repairs.isEmpty)
        }
    }

    @Test func `a component named R, G, B is one where JFIF is too short to be JFIF`() throws {
        for count in [5, 12, 13] {
            var jpeg = JPEGParts(try Fixtures.bytes("odd/444.jpg"))
            jpeg.parts.removeAll { $0.marker == 0xE0 }
            let frame = try #require(jpeg.parts.firstIndex { $0.marker == jpeg.frame })
            for (index, name) in "RGB".utf8.enumerated() {
                jpeg.parts[frame].payload[6 + 3 * index] = name
                jpeg.parts[jpeg.firstScan].payload[1 + 2 * index] = name
            }
            let jfif = Array(("JFIF\0".utf8 + [1, 1, 0, 0, 1, 0, 1, 0, 0]).prefix(count))
            let bare = jpeg.bytes
            jpeg.parts.insert(.init(marker: 0xE0, payload: jfif), at: 0)
            #expect(try JPEGWalk(jpeg.bytes, limits: .init()).color == .rgb)
            let variant = try #require(ThumbnailVariant("32x48-cover-q82.png"))
            var worker = ImageWorker()
            #expect(
                try worker.thumbnails(of: jpeg.bytes, as: [variant], limits: .init())
                    == worker.thumbnails(of: bare, as: [variant], limits: .init()))
            if let seen = try DJPEG.pixels(jpeg.bytes) { #expect(seen == (try DJPEG.pixels(bare))) }
        }
    }

    @Test func `a picture of harmless faults alone is refused`() throws {
        var jpeg = JPEGParts(try Fixtures.bytes("odd/420.jpg"))
        let comments = (0...JPEGRepairs.limit).map { _ in JPEGParts.Part(marker: 0xFE, payload: [])
        }
        jpeg.parts.insert(contentsOf: comments, at: 0)
        for place in comments.indices.dropLast() { jpeg.stray[place + 1] = [7] }
        #expect(throws: Never.self) { try JPEGWalk(jpeg.bytes, limits: .init()) }
        jpeg.stray[comments.count] = [7]
        #expect(throws: ImageError.self) { try JPEGWalk(jpeg.bytes, limits: .init()) }
    }

    @Test("a few bytes behind a whole scan are passed over, many are damage", arguments: kinds)
    func behindScan(name: String) throws {
        let whole = JPEGParts(try Fixtures.bytes("odd/\(name).jpg"))
        let last = try #require(whole.parts.lastIndex { $0.marker == 0xDA })
        let variants = [try #require(ThumbnailVariant("2000x3000-contain-q82.png"))]
        var workers = Workers()
        let wanted = try workers.both(whole.bytes, variants)
        for count in [1, 3, 8, 17, JPEGRepairs.strayBytes] {
            var jpeg = whole
            jpeg.parts[last].data += [UInt8](repeating: 0, count: count)
            #expect(try workers.both(jpeg.bytes, variants) == wanted, "\(count) bytes")
        }
        var jpeg = whole
        jpeg.parts[last].data += [UInt8](repeating: 0x5A, count: 1000)
        #expect(throws: ImageError.self) { try workers.fast.verify(jpeg.bytes, limits: .init()) }
        #expect(throws: ImageError.self) { try workers.library.verify(jpeg.bytes, limits: .init()) }
    }

    @Test(
        "faults that cost pixels are refused", arguments: ["restart", "progressive", "420", "grey"])
    func costly(name: String) throws {
        let whole = JPEGParts(try Fixtures.bytes("odd/\(name).jpg"))
        var broken: [(String, JPEGParts)] = []
        func add(_ what: String, _ change: (inout JPEGParts) -> Void) {
            var jpeg = whole
            change(&jpeg)
            broken.append((what, jpeg))
        }
        let scans = whole.parts.indices.filter { whole.parts[$0].marker == 0xDA }
        add("half of the last scan") {
            let data = $0.parts[scans[scans.count - 1]].data
            $0.parts[scans[scans.count - 1]].data = Array(data.prefix(data.count / 2))
        }
        if name == "restart" {
            add("a restart out of turn") { jpeg in
                let data = jpeg.parts[scans[0]].data
                guard
                    let place = data.indices.dropLast().first(where: {
                        data[$0] == 0xFF && data[$0 + 1] == 0xD1
                    })
                else { return }
                jpeg.parts[scans[0]].data[place + 1] = 0xD5
            }
        }
        if name == "progressive" {
            add("a scan of low bits without the high ones") { jpeg in
                guard
                    let high = scans.first(where: {
                        let end = jpeg.parts[$0].payload.suffix(3)
                        return end.first != 0
                            && end.last.map { $0 >> 4 == 0 && $0 & 15 > 0 } == true
                    })
                else { return }
                jpeg.parts.remove(at: high)
            }
        }
        var workers = Workers()
        for (what, jpeg) in broken {
            #expect(throws: ImageError.self, "\(what)") {
                try workers.fast.verify(jpeg.bytes, limits: .init())
            }
            #expect(throws: ImageError.self, "\(what)") {
                try workers.library.verify(jpeg.bytes, limits: .init())
            }
        }
    }
}

/// libjpeg-turbo's own program, which shows what it can whatever it warns of.
private enum DJPEG {
    private static let program = "/usr/bin/djpeg"

    /// The picture as PNM; `nil` where the program is not installed or fails.
    static func pixels(_ jpeg: [UInt8]) throws -> Data? {
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "repairs-\(UUID().uuidString).jpg")
        try Data(jpeg).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["-pnm", file.path]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data.isEmpty ? nil : data
    }
}
