import Foundation

@testable import PosterImages
@testable import PosterKit

/// The obvious Lanczos-3 resample in double precision, columns and then rows, to hold the fast
/// one against.
func slowResample(
    _ picture: PixelBuffer, _ region: ThumbnailGeometry.Region, width: Int, height: Int
) -> [[Int]] {
    let channels = picture.layout.bytesPerPixel
    let columns = slowWeights(region.x, region.width, picture.width, made: width)
    let rows = slowWeights(region.y, region.height, picture.height, made: height)
    var narrow = [Double](repeating: 0, count: picture.height * width * channels)
    for y in 0..<picture.height {
        for x in 0..<width {
            for (column, weight) in columns[x] {
                let from = (y * picture.width + column) * channels
                for channel in 0..<channels {
                    narrow[(y * width + x) * channels + channel] +=
                        weight * Double(picture.samples[from + channel])
                }
            }
        }
    }
    return (0..<width * height).map { pixel in
        let (x, y) = (pixel % width, pixel / width)
        return (0..<channels).map { channel in
            let sum = rows[y].reduce(0) {
                $0 + $1.1 * narrow[($1.0 * width + x) * channels + channel]
            }
            return Int(min(255, max(0, sum)).rounded())
        }
    }
}

/// For each sample that is made of `extent` samples from `start` on: which samples of `count` it
/// is made of, and with what weight.
private func slowWeights(
    _ start: Double, _ extent: Double, _ count: Int, made: Int
) -> [[(Int, Double)]] {
    func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        return sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3)
    }
    let scale = extent / Double(made)
    let stretch = max(1, scale)
    return (0..<made).map { index in
        let center = start + (Double(index) + 0.5) * scale
        let reach = Int((center - 3 * stretch).rounded(.down))...Int(center + 3 * stretch)
        let all = reach.map { sample -> (Int, Double) in
            // Beyond an edge the picture is mirrored.
            let mirrored =
                sample < 0 ? -1 - sample : sample >= count ? 2 * count - 1 - sample : sample
            return (
                max(0, min(count - 1, mirrored)),
                lanczos((Double(sample) + 0.5 - center) / stretch)
            )
        }
        let sum = all.reduce(0) { $0 + $1.1 }
        return all.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
    }
}
