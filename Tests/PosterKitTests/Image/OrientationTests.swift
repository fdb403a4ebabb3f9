import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct OrientationTests {
    /// Stored pictures of the upright picture `a b c / d e f`, as the EXIF standard draws them.
    static let stored: [(Orientation, [String])] = [
        (.upright, ["abc", "def"]), (.mirrored, ["cba", "fed"]), (.halfTurn, ["fed", "cba"]),
        (.flipped, ["def", "abc"]), (.transposed, ["ad", "be", "cf"]),
        (.quarterClockwise, ["cf", "be", "ad"]), (.transversed, ["fc", "eb", "da"]),
        (.quarterAnticlockwise, ["da", "eb", "fc"]),
    ]

    @Test("every turn leads to the upright picture", arguments: stored)
    func turns(orientation: Orientation, rows: [String]) {
        var from = rows.flatMap(\.utf8)
        var to = [UInt8](repeating: 0, count: 6)
        from.withUnsafeMutableBufferPointer { from in
            to.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                orientation.turn(
                    SamplePlane(from, width: rows[0].count, height: rows.count),
                    into: SamplePlane(to, width: 3, height: 2))
            }
        }
        #expect(String(decoding: to, as: UTF8.self) == "abcdef")
    }

    static let little: [UInt8] =
        [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0]
        + [0, 1, 4, 0, 1, 0, 0, 0, 9, 9, 0, 0] + [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]

    @Test func `the tag is read in both byte orders`() {
        let big: [UInt8] =
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1] + [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0]
        #expect(Orientation(tiff: Self.little[...]) == .quarterClockwise)
        #expect(Orientation(tiff: big[...]) == .quarterAnticlockwise)
    }

    @Test func `whatever is cut or wrong is upright`() {
        for count in 0..<Self.little.count - 2 {
            #expect(Orientation(tiff: Self.little[..<count]) == .upright)
        }
        for value: UInt8 in [0, 9, 255] {
            var bytes = Self.little
            bytes[30] = value
            #expect(Orientation(tiff: bytes[...]) == .upright)
        }
        // A directory inside its own header, and directories beyond the end.
        for offset: UInt8 in [0, 4, 200, 255] {
            var bytes = Self.little
            for place in 4..<8 { bytes[place] = place == 4 || offset == 255 ? offset : 0 }
            #expect(Orientation(tiff: bytes[...]) == .upright)
        }
    }

    @Test func `of two EXIF segments the first counts, before JFIF or behind it`() throws {
        let plain = try TestPicture.jpeg(width: 9, height: 5)
        let twice = TestPicture.jpeg(TestPicture.jpeg(plain, orientation: 3), orientation: 6)
        let behind = Array(plain[..<20]) + twice[2..<74] + plain[20...]
        for bytes in [twice, behind] {
            #expect(try JPEGWalk(bytes, limits: .init()).orientation == .quarterClockwise)
        }
    }
}
