import Foundation

/// Mean structural similarity of the luma of two pictures (Wang, Bovik, Sheikh, Simoncelli, 2004),
/// under a Gaussian of 11 × 11 with deviation 1.5, where that lies whole within them.
func structuralSimilarity(_ one: [[Int]], _ other: [[Int]], width: Int) -> Double {
    let (a, b) = (one.map(luma), other.map(luma))
    func blurred(_ value: (Double, Double) -> Double) -> [Double] {
        blur(zip(a, b).map(value), width)
    }
    let (meanA, meanB) = (blurred { a, _ in a }, blurred { _, b in b })
    let (squareA, squareB) = (blurred { a, _ in a * a }, blurred { _, b in b * b })
    let product = blurred { $0 * $1 }
    let (low, high) = (6.5025, 58.5225)
    let all = meanA.indices.map { index -> Double in
        let (a, b) = (meanA[index], meanB[index])
        let spread = squareA[index] - a * a + squareB[index] - b * b
        return (2 * a * b + low) * (2 * (product[index] - a * b) + high)
            / ((a * a + b * b + low) * (spread + high))
    }
    return all.reduce(0, +) / Double(all.count)
}

/// The luma of an RGB pixel (ITU-R BT.601).
func luma(_ pixel: [Int]) -> Double {
    0.299 * Double(pixel[0]) + 0.587 * Double(pixel[1]) + 0.114 * Double(pixel[2])
}

private let kernel: [Double] = {
    let bell = (-5...5).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
    let sum = bell.reduce(0, +)
    return bell.map { $0 / sum }
}()

private func blur(_ plane: [Double], _ width: Int) -> [Double] {
    let (height, narrow) = (plane.count / width, width - 10)
    var rows = [Double](repeating: 0, count: narrow * height)
    for y in 0..<height {
        for x in 0..<narrow {
            var sum = 0.0
            for tap in 0..<11 { sum += kernel[tap] * plane[y * width + x + tap] }
            rows[y * narrow + x] = sum
        }
    }
    var result = [Double](repeating: 0, count: narrow * (height - 10))
    for y in 0..<(height - 10) {
        for x in 0..<narrow {
            var sum = 0.0
            for tap in 0..<11 { sum += kernel[tap] * rows[(y + tap) * narrow + x] }
            result[y * narrow + x] = sum
        }
    }
    return result
}
