import Glibc
import PosterBase
package import PosterImages

/// Placeholders that are drawn before they are needed, without a title: for when there is no time to
/// draw the one that was asked for. Each says that the poster cannot be had just now.
///
/// There are a few shapes and sizes in each format; a browser scales the nearest to its box.
package final class GenericPlaceholders: Sendable {
    /// The boxes of each shape, the smallest first: upright as a poster, square, across.
    private static let shapes = [
        [(92, 138), (185, 278), (342, 513), (500, 750)],
        [(185, 185), (500, 500)],
        [(300, 169), (780, 439)],
    ]

    private struct Choice: Hashable, Sendable {
        let format: ImageFormat
        let width: Int
        let height: Int
    }

    private let drawn = Monitor<[Choice: Picture]>([:])

    package init() {}

    /// Draws all of them. Blocks for some 30 ms.
    package func prepare() {
        for format in ImageFormat.allCases {
            for (width, height) in Self.shapes.joined() {
                _ = picture(Choice(format: format, width: width, height: height))
            }
        }
    }

    /// The nearest to a box of pixels in its format; `nil` where nothing can be drawn at all. Draws
    /// it if it is not there, which takes a few milliseconds once.
    package func picture(for request: PlaceholderRequest) -> Picture? {
        let (width, height) = Self.nearest(width: request.width, height: request.height)
        return picture(Choice(format: request.format, width: width, height: height))
    }

    /// Of the boxes whose shape is nearest, the smallest that is as wide, or the largest.
    static func nearest(width: Int, height: Int) -> (width: Int, height: Int) {
        func distance(_ boxes: [(Int, Int)]) -> Double {
            let (boxWidth, boxHeight) = boxes[boxes.count - 1]
            return abs(
                log(Double(width) / Double(height)) - log(Double(boxWidth) / Double(boxHeight)))
        }
        var best = shapes[0]
        for boxes in shapes where distance(boxes) < distance(best) { best = boxes }
        return best.first { $0.0 >= width } ?? best[best.count - 1]
    }

    private func picture(_ choice: Choice) -> Picture? {
        if let picture = drawn.withLock({ $0[choice] }) { return picture }
        // A worker of its own: the pixel threads have no time, or there would be no need for this.
        var worker = ImageWorker()
        do {
            let request = try PlaceholderRequest(
                width: choice.width, height: choice.height, kind: .unavailable,
                format: choice.format)
            let picture = Picture(
                bytes: try worker.placeholder(request), format: choice.format, made: .now())
            return drawn.withLock { drawn in
                // Another thread may have drawn it meanwhile, and one answer has one Last-Modified.
                let kept = drawn[choice] ?? picture
                drawn[choice] = kept
                return kept
            }
        } catch { return nil }
    }
}
