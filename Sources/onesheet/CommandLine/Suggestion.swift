/// The candidate that `text` most likely meant: at most two typing errors away, or one in a word
/// of up to four letters. `nil` when none is that near.
func nearest(to text: String, among candidates: [String]) -> String? {
    let distances = candidates.map { (name: $0, distance: editDistance(text, $0)) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= (best.name.utf8.count <= 4 ? 1 : 2) ? best.name : nil
}

/// The least number of letters to insert, delete, replace or swap with their neighbour that turns
/// one text into the other (optimal string alignment distance).
func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let isSame = left[row] == right[column]
            var cost = min(
                last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
