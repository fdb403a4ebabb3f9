import Testing

@testable import PosterImages
@testable import PosterKit
@testable import PosterPlaceholders

@Suite struct PlaceholderEncodingTests {
    @Test(
        "the usual size stays under 12 kB, whatever the title",
        arguments: [
            "", "Up", "The Return of the King", "Москва слезам не верит",
            "重慶森林: 一個關於愛情與失去的故事",
            "Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb",
            "🎬🍿 Movie Night",
            String(repeating: "W", count: 200), String(repeating: "所以 ", count: 66),
        ])
    func bytes(title: String) throws {
        var worker = ImageWorker()
        for kind in PlaceholderRequest.Kind.allCases {
            func bytes(_ format: ImageFormat) throws -> [UInt8] {
                try worker.placeholder(
                    PlaceholderRequest(
                        width: 342, height: 513, kind: kind, title: title, seed: title,
                        format: format))
            }
            #expect(try bytes(.webp).count < 12_000)
            let jpeg = try bytes(.jpeg)
            #expect(jpeg.count < 12_000)
            let proof = try worker.verify(jpeg, limits: ImageLimits())
            #expect(proof.format == .jpeg && proof.width == 342 && proof.height == 513)
        }
    }

    @Test func `a quality that is asked for is kept where there is room`() throws {
        var worker = ImageWorker()
        func size(_ quality: Int) throws -> Int {
            try worker.placeholder(
                PlaceholderRequest(
                    width: 120, height: 180, kind: .missing, title: "Stalker", quality: quality)
            ).count
        }
        let (low, high) = (try size(30), try size(95))
        #expect(low < high)
    }

    @Test func `PNG holds the drawn pixels themselves`() throws {
        var worker = ImageWorker()
        let png = try worker.placeholder(
            PlaceholderRequest(
                width: 60, height: 90, kind: .missing, title: "Stalker", format: .png))
        #expect(try worker.verify(png, limits: ImageLimits()).format == .png)
    }
}
