/// A title made fit to be set: one paragraph of text that can neither turn its neighbours nor
/// cost more than its length.
///
/// Controls, line breaks and runs of space become one space; bidi controls, soft hyphens, tags
/// and other format characters go, but for the joiners that scripts and emoji are spelt with;
/// of a tower of combining marks the lowest four stay. What is over ``maxScalars`` is cut.
struct TitleText: Equatable, Sendable {
    /// The most code points that are set. A title has 200 characters at most, and a character
    /// may be spelt with any number of code points.
    static let maxScalars = 400
    /// Marks on one letter: Hebrew, Thai and Vietnamese spellings have up to three.
    private static let maxMarks = 4

    /// The text to set.
    let text: String

    /// Cleans a title.
    init(_ title: String) {
        var scalars = String.UnicodeScalarView()
        var (count, marks, spacePending) = (0, 0, false)
        for scalar in title.unicodeScalars {
            let place = Self.place(of: scalar)
            marks = place == .mark ? marks + 1 : 0
            if place == .space { spacePending = true }
            if place == .space || place == .nowhere || marks > Self.maxMarks { continue }
            if count == Self.maxScalars {
                scalars.append("…")
                break
            }
            if spacePending, count > 0 { scalars.append(" ") }
            spacePending = false
            scalars.append(scalar)
            count += 1
        }
        text = String(scalars)
    }

    /// The text in lines that begin at these code points, without the spaces between them. The
    /// separator breaks the line and not the paragraph, which keeps its direction.
    func broken(at starts: [Int]) -> String {
        let scalars = Array(text.unicodeScalars)
        var lines = String.UnicodeScalarView()
        for (start, end) in zip(starts, starts.dropFirst() + [scalars.count]) {
            var line = scalars[start..<end]
            while line.last == " " { line.removeLast() }
            if start > 0 { lines.append("\u{2028}") }
            lines.append(contentsOf: line)
        }
        return String(lines)
    }

    /// Whether nothing is left to set.
    var isEmpty: Bool { text.isEmpty }

    /// The language whose letter forms Han characters take: kana tells Japanese, hangul Korean,
    /// else Chinese. `nil` where there is nothing to tell.
    var language: String? {
        var hasHan = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x3040...0x30FF, 0x31F0...0x31FF: return "ja"
            case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7A3: return "ko"
            case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFF: hasHan = true
            default: break
            }
        }
        return hasHan ? "zh" : nil
    }

    private enum Place { case letter, mark, space, nowhere }

    private static func place(of scalar: Unicode.Scalar) -> Place {
        switch scalar.properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: .space
        case .nonspacingMark, .enclosingMark: .mark
        // ZWNJ and ZWJ.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D ? .letter : .nowhere
        case .surrogate, .privateUse, .unassigned: .nowhere
        default: .letter
        }
    }
}
