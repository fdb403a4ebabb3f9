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
        if let bytesPerSecond { parts.append(byteText(Int(bytesPerSecond)) + "/s") }
        if let secondsLeft { parts.append(timeText(secondsLeft) + " left") }
        return "\(label): " + parts.joined(separator: ", ")
    }

    /// One line for a terminal, at most `columns` wide. What is least needed is left out first.
    func bar(columns: Int, isUnicode: Bool) -> String {
        let count = total > 0 ? "\(done)/\(total)" : "\(done)"
        let amount = byteText(bytes)
        let rate = bytesPerSecond.map { byteText(Int($0)) + "/s" }
        let left = secondsLeft.map { timeText($0) + " left" }
        let choices = [
            [count, amount, rate, left], [count, amount, left], [count, left], [count],
        ]
        for choice in choices {
            let tail = choice.compactMap(\.self).joined(separator: "  ")
            let room = columns - label.count - tail.count - 4
            guard total > 0 else {
                if room >= 0 { return "\(label)  \(tail)" }
                continue
            }
            if room >= Self.narrowestBar {
                let width = min(room, Self.widestBar)
                return "\(label)  \(Self.bar(done, of: total, width, isUnicode))  \(tail)"
            }
        }
        return String(count.prefix(max(0, columns)))
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
