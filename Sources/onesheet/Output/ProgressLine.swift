/// What a progress display says at one moment.
struct ProgressLine: Equatable {
    /// What is under way.
    var label: String
    /// Items that are done, failed ones included.
    var done = 0
    /// Items in all; 0 while that is unknown.
    var total = 0
    /// Bytes that the done items came to.
    var bytes = 0
    /// Bytes a second, lately; `nil` while there is too little to tell.
    var bytesPerSecond: Double?
    /// Until all is done, at the present pace; `nil` while there is too little to tell.
    var secondsLeft: Double?

    /// A bar narrower than this says less than the count beside it.
    private static let narrowestBar = 8
    private static let widestBar = 40

    /// One line for a log.
    var plain: String {
        var parts = [total > 0 ? "\(done) of \(total)" : "\(done)", byteText(bytes)]
        if let bytesPerSecond { parts.append(Self.rate(bytesPerSecond)) }
        if let secondsLeft { parts.append(wholeTimeText(secondsLeft) + " left") }
        return "\(label): " + parts.joined(separator: ", ")
    }

    /// One line for a terminal, at most `columns` wide. What is least needed is left out first.
    ///
    /// Each figure has a place of its own, so that the bar does not jump when one of them grows.
    func bar(columns: Int, isUnicode: Bool) -> String {
        let count = total > 0 ? Self.padded("\(done)", "\(total)".count) + "/\(total)" : "\(done)"
        let amount = Self.padded(byteText(bytes), 10)
        let rate = Self.padded(bytesPerSecond.map(Self.rate) ?? "", 12)
        let left = Self.padded(secondsLeft.map { wholeTimeText($0) + " left" } ?? "", 10)
        let tails = [[count, amount, rate, left], [count, amount, left], [count, left], [count]]
            .map { $0.joined(separator: "  ") }
        guard total > 0 else {
            // How much there is to do is unknown: a bar would lie.
            let lines = tails.map { "\(label)  \($0)" }.map(Self.trimmed)
            return lines.first { $0.count <= columns } ?? String(count.prefix(max(0, columns)))
        }
        for tail in tails {
            let room = columns - label.count - tail.count - 4
            guard room >= Self.narrowestBar else { continue }
            let bar = Self.bar(done, of: total, min(room, Self.widestBar), isUnicode)
            return Self.trimmed("\(label)  \(bar)  \(tail)")
        }
        return String(count.prefix(max(0, columns)))
    }

    private static func rate(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond.isFinite else { return "? B/s" }
        // Less than 2⁶³, as Double has it.
        return byteText(Int(min(max(bytesPerSecond, 0), 0x1p62))) + "/s"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func bar(_ done: Int, of total: Int, _ width: Int, _ isUnicode: Bool) -> String {
        let done = min(max(done, 0), total)
        // Eighths of a column where the terminal can show them.
        let steps = isUnicode ? ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] : [""]
        let filled = width * steps.count * done / total
        let whole = filled / steps.count
        let part = steps[filled % steps.count]
        let full = String(repeating: isUnicode ? "█" : "#", count: whole) + part
        let empty = String(repeating: isUnicode ? "░" : "-", count: width - full.count)
        return full + empty
    }
}
