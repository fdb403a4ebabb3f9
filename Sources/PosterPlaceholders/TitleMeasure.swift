import CPango

/// How wide each unbreakable part of a title is, and what follows for its lines.
struct TitleMeasure: Equatable, Sendable {
    /// A part between two places where a line may break.
    struct Part: Equatable, Sendable {
        /// With the space that follows it.
        var width = 0.0
        /// The space that follows it, which a line end swallows.
        var space = 0.0
        /// The index of its first code point.
        var start = 0
    }

    /// The parts in reading order.
    let parts: [Part]
    /// The height of a line.
    let lineHeight: Double

    /// Puts a measure together.
    init(parts: [Part], lineHeight: Double) {
        self.parts = parts
        self.lineHeight = lineHeight
    }

    /// A title that needs more lines is cut: more lines are too small to read.
    static let maxLines = 5

    /// The number of lines that gives the largest type within an area, at `largestScale` at
    /// most, and the shortest line width that keeps that number; `nil` without parts.
    func bestLines(
        width: Double, height: Double, largestScale: Double
    ) -> (scale: Double, lineWidth: Double)? {
        var best: (scale: Double, lineWidth: Double)?
        for lines in 1...min(Self.maxLines, max(1, parts.count)) {
            let byHeight = height / (Double(lines) * lineHeight)
            // More lines are lower lines: it only gets worse.
            if let best, byHeight <= best.scale { break }
            let lineWidth = shortestWidth(lines: lines)
            guard lineWidth > 0 else { return nil }
            let scale = min(byHeight, width / lineWidth, largestScale)
            if scale > (best?.scale ?? 0) * 1.02 { best = (scale, lineWidth) }
        }
        return best
    }

    /// The least width at which greedy line breaking needs at most so many lines.
    func shortestWidth(lines: Int) -> Double {
        var low = parts.map { $0.width - $0.space }.max() ?? 0
        var high = max(low, parts.reduce(0) { $0 + $1.width } - (parts.last?.space ?? 0))
        for _ in 0..<16 where lineCount(width: low) > lines {
            let middle = (low + high) / 2
            if lineCount(width: middle) <= lines { high = middle } else { low = middle }
        }
        return lineCount(width: low) <= lines ? low : high
    }

    /// Where lines begin when each takes as many parts as `width` holds.
    func lineStarts(width: Double) -> [Int] {
        var (starts, filled) = ([0], 0.0)
        for part in parts {
            if filled > 0, filled + part.width - part.space > width {
                starts.append(part.start)
                filled = 0
            }
            filled += part.width
        }
        return starts
    }

    private func lineCount(width: Double) -> Int { lineStarts(width: width).count }
}

extension TitleMeasure {
    /// Measures a layout that has no width set; `nil` when Pango gives no line. `keepsWords`:
    /// lines break at spaces only, as Korean readers expect, though Unicode allows more.
    init?(_ layout: OpaquePointer, keepsWords: Bool, with pango: DrawingLibrary) {
        guard let line = pango.pango_layout_get_line_readonly(layout, 0),
            let text = pango.pango_layout_get_text(layout)
        else { return nil }
        var count: Int32 = 0
        guard let attributes = pango.pango_layout_get_log_attrs_readonly(layout, &count), count > 0
        else {
            return nil
        }
        let widths = Self.widths(of: line, text: text, characters: Int(count) - 1, with: pango)
        var parts: [Part] = []
        for (index, width) in widths.enumerated() {
            let mayBreak =
                attributes[index].is_line_break != 0
                && (!keepsWords || attributes[max(index - 1, 0)].is_white != 0)
            if index == 0 || mayBreak { parts.append(Part(start: index)) }
            parts[parts.count - 1].width += width
            let isWhite = attributes[index].is_white != 0
            parts[parts.count - 1].space = isWhite ? parts[parts.count - 1].space + width : 0
        }
        var (width, height) = (Int32(0), Int32(0))
        pango.pango_layout_get_size(layout, &width, &height)
        self.init(parts: parts, lineHeight: pango.pango_units_to_double(height))
    }

    /// The width of every character of a line, in reading order.
    private static func widths(
        of line: UnsafeMutablePointer<PangoLayoutLine>, text: UnsafePointer<CChar>,
        characters: Int, with pango: DrawingLibrary
    ) -> [Double] {
        var widths = [Double](repeating: 0, count: characters)
        var node = line.pointee.runs
        while let run = node {
            node = run.pointee.next
            guard let item = run.pointee.data?.assumingMemoryBound(to: PangoLayoutRun.self),
                let length = item.pointee.item?.pointee.num_chars,
                let offset = item.pointee.item?.pointee.offset
            else { continue }
            var logical = [Int32](repeating: 0, count: Int(length))
            pango.pango_glyph_item_get_logical_widths(item, text, &logical)
            let start = Int(pango.g_utf8_pointer_to_offset(text, text + Int(offset)))
            for (index, width) in logical.enumerated() where start + index < characters {
                widths[start + index] = pango.pango_units_to_double(width)
            }
        }
        return widths
    }
}
