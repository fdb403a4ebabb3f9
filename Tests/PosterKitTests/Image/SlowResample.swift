import Foundation

@testable import PosterKit

/// The obvious Lanczos-3 resample in double precision, two dimensions at once, to hold the fast
/// one against.
func slowResample(
    _ picture: PixelBuffer, _ region: ThumbnailGeometry.Region, width: Int, height: Int
) -> [[Int]] {
    let channels = picture.layout.bytesPerPixel
    func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        return sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3)
    }
    func weights(_ center: Double, _ scale: Double, _ count: Int) -> [(Int, Double)] {
        let stretch = max(1, scale)
        // Beyond an edge the picture is mirrored.
        let reach = Int((center - 3 * stretch).rounded(.down))...Int(center + 3 * stretch)
        let all = reach.map { sample -> (Int, Double) in
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
    let (across, down) = (region.width / Double(width), region.height / Double(height))
    let columns = (0..<width).map {
        weights(region.x + (Double($0) + 0.5) * across, across, picture.width)
    }
    var result: [[Int]] = []
    for y in 0..<height {
        let rows = weights(region.y + (Double(y) + 0.5) * down, down, picture.height)
        for x in 0..<width {
            result.append(
                (0..<channels).map { channel in
                    var sum = 0.0
                    for (row, rowWeight) in rows {
                        for (column, columnWeight) in columns[x] {
                            let index = (row * picture.width + column) * channels + channel
                            sum += rowWeight * columnWeight * Double(picture.samples[index])
                        }
                    }
                    return Int(min(255, max(0, sum)).rounded())
                })
        }
    }
    return result
}
