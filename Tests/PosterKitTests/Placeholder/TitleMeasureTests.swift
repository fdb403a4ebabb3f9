import Testing

@testable import PosterKit
@testable import PosterPlaceholders

@Suite struct TitleMeasureTests {
    /// Words of these widths with a space of 10 after each.
    private func measure(_ words: Double...) -> TitleMeasure {
        TitleMeasure(parts: words.map { .init(width: $0 + 10, space: 10) }, lineHeight: 20)
    }

    @Test func `lines are balanced`() {
        let title = measure(50, 50, 50, 50)
        #expect(title.shortestWidth(lines: 1) == 230)
        #expect(abs(title.shortestWidth(lines: 2) - 110) < 0.01)
        // Three lines cannot be shorter than two words.
        #expect(abs(title.shortestWidth(lines: 3) - 110) < 0.01)
        #expect(title.shortestWidth(lines: 4) == 50)
    }

    @Test func `the number of lines is the one that allows the largest type`() throws {
        let title = measure(50, 50, 50, 50)
        let wide = try #require(title.bestLines(width: 230, height: 20, largestScale: 9))
        #expect(wide.scale == 1 && wide.lineWidth == 230)
        let tall = try #require(title.bestLines(width: 50, height: 80, largestScale: 9))
        #expect(tall.scale == 1 && tall.lineWidth == 50)
    }

    @Test func `type stops at the largest, in the fewest lines`() throws {
        let best = try #require(
            measure(50, 50).bestLines(width: 1000, height: 1000, largestScale: 2))
        #expect(best.scale == 2 && best.lineWidth == 110)
    }

    @Test func `a long word sets the width`() throws {
        let best = try #require(
            measure(10, 200, 10).bestLines(width: 100, height: 1000, largestScale: 9))
        #expect(best.scale == 0.5)
    }

    @Test func `lines begin with the part that the one before has no room for`() {
        let parts = [(0, 50.0), (5, 50), (10, 50)].map { start, width in
            TitleMeasure.Part(width: width + 10, space: 10, start: start)
        }
        let title = TitleMeasure(parts: parts, lineHeight: 20)
        #expect(title.lineStarts(width: 110) == [0, 10])
        #expect(title.lineStarts(width: 109) == [0, 5, 10])
        #expect(title.lineStarts(width: 10) == [0, 5, 10])
    }

    @Test func `a title without parts has no lines`() {
        #expect(
            TitleMeasure(parts: [], lineHeight: 20)
                .bestLines(width: 100, height: 100, largestScale: 1) == nil)
    }
}
