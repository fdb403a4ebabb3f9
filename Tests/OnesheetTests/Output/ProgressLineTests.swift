import Testing

@testable import onesheet

@Suite struct ProgressLineTests {
    private static let line = ProgressLine(
        label: "prefetch", done: 123, total: 360, bytes: 8_493_466, bytesPerSecond: 2_411_724,
        secondsLeft: 11.2)

    @Test func `a line for a log says all in words`() {
        #expect(Self.line.plain == "prefetch: 123 of 360, 8.1 MiB, 2.3 MiB/s, 12 s left")
        let early = ProgressLine(label: "verify", done: 5)
        #expect(early.plain == "verify: 5, 0 B")
    }

    @Test(
        "what is least needed gives way on a narrow terminal",
        arguments: [
            (
                100,
                "prefetch  #############---------------------------  123/360     8.1 MiB"
                    + "     2.3 MiB/s   12 s left"
            ),
            (60, "prefetch  #####------------  123/360     8.1 MiB   12 s left"),
            (45, "prefetch  ####----------  123/360   12 s left"),
            (30, "prefetch  ###--------  123/360"), (20, "123/360"), (5, "123/3"), (0, ""),
        ])
    func narrow(columns: Int, expected: String) {
        #expect(Self.line.bar(columns: columns, isUnicode: false) == expected)
    }

    @Test("a line never wraps", arguments: 0...200)
    func width(columns: Int) {
        for isUnicode in [false, true] {
            for done in [0, 1, 123, 359, 360, 400] {
                var line = Self.line
                line.done = done
                #expect(line.bar(columns: columns, isUnicode: isUnicode).count <= columns)
                line.total = 0
                #expect(line.bar(columns: columns, isUnicode: isUnicode).count <= columns)
            }
        }
    }

    @Test(
        "the bar grows by eighths of a column where it can",
        arguments: [
            (0, "░░░░░░░░░░░░"), (1, "▏░░░░░░░░░░░"), (8, "█░░░░░░░░░░░"), (20, "██▌░░░░░░░░░"),
            (95, "███████████▉"), (96, "████████████"),
        ])
    func eighths(done: Int, bar: String) {
        let line = ProgressLine(label: "x", done: done, total: 96)
        let text = line.bar(columns: 22, isUnicode: true)
        #expect(text.split(separator: " ")[1] == bar)
    }

    @Test(
        "amounts and times are short",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_524, "1023.9 KiB"),
            (1_048_575, "1.0 MiB"), (20 << 30, "20.0 GiB"), (-2048, "-2.0 KiB"),
        ])
    func bytes(amount: Int, text: String) { #expect(byteText(amount) == text) }

    @Test(
        "times are short",
        arguments: [
            (0, "0.00 s"), (0.044, "0.04 s"), (0.999, "1.0 s"), (9.94, "9.9 s"), (9.96, "10 s"),
            (59.4, "59 s"), (59.6, "1:00"), (245, "4:05"), (3599.6, "1:00:00"), (7384, "2:03:04"),
            (-1, "?"), (.infinity, "?"),
        ])
    func times(seconds: Double, text: String) { #expect(timeText(seconds) == text) }

    @Test func `the pace is that of the last seconds`() throws {
        var pace = ProgressRate()
        let start = ContinuousClock.now
        pace.note(done: 0, bytes: 0, at: start)
        #expect(pace.perSecond == nil)
        // A thousand at once that were there already, then two a second.
        pace.note(done: 1000, bytes: 0, at: start + .milliseconds(10))
        for second in 1...30 {
            pace.note(done: 1000 + 2 * second, bytes: 500 * second, at: start + .seconds(second))
        }
        let rate = try #require(pace.perSecond)
        #expect(abs(rate.items - 2) < 0.01)
        #expect(abs(rate.bytes - 500) < 0.01)
    }
}
