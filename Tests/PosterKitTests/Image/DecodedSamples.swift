@testable import PosterImages
@testable import PosterKit

/// A picture's planes as each of the two ways to decode them makes them.
enum DecodedSamples {
    struct Plane: Equatable {
        let width: Int
        let height: Int
        let samples: [UInt8]
    }

    /// What libjpeg-turbo alone makes of a JPEG; `nil` when it refuses.
    static func library(_ bytes: [UInt8], _ reduction: Int) -> [Plane]? {
        var decoder = JPEGDecoder(isFast: false, mostRecodedSamples: .max)
        do throws(ImageError) {
            let walk = try JPEGWalk(bytes, limits: .init())
            return try decoder.decode(bytes, walk, reduction: reduction).planes.map {
                let (plane, width) = ($0.samples, $0.samples.width * $0.samples.channels)
                return Plane(
                    width: width, height: plane.height,
                    samples: (0..<plane.height).flatMap {
                        UnsafeBufferPointer(start: plane.base + $0 * plane.pitch, count: width)
                    })
            }
        } catch { return nil }
    }

    /// What the fast decoder makes of it, as planes of the sizes of `planes`; `nil` when it leaves
    /// it to the library.
    static func fast(_ bytes: [UInt8], _ reduction: Int, as planes: [Plane]) -> [Plane]? {
        var decoder = PlaneDecoder()
        var memory = Scratch<UInt8>()
        let sizes = planes.map { $0.width.aligned * ($0.height + PlaneDecoder.rowsBeyond) }
        let base = memory.reserve(sizes.reduce(0, +))
        let targets = zip(planes, planes.indices).map { plane, index in
            SamplePlane(
                aligned: base + sizes[..<index].reduce(0, +), width: plane.width,
                height: plane.height)
        }
        do throws(JPEGFallback) {
            try decoder.decode(bytes, reduction: reduction, into: targets)
        } catch { return nil }
        return targets.map { plane in
            Plane(
                width: plane.width, height: plane.height,
                samples: (0..<plane.height).flatMap {
                    UnsafeBufferPointer(start: plane.base + $0 * plane.pitch, count: plane.width)
                })
        }
    }

    /// The reductions at which a picture can be compared: of one smaller than two samples TurboJPEG
    /// chooses a factor of its own.
    static func reductions(_ walk: JPEGWalk) -> [Int] {
        [1, 2, 4, 8].filter { $0 == 1 || min(walk.width, walk.height) >= 2 * $0 }
    }
}
