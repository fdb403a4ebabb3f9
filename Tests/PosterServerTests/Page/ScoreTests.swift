import Foundation
import Testing

@testable import PosterServer

@Suite struct ScoreTests {
    @Test func `one decimal is what printf gives`() {
        var values = (0...20_000).map { Double($0) / 2000 }
        // Numbers just beside a tie, and far from one.
        for tenths in 0..<1000 {
            let tie = Double(tenths) / 10 + 0.05
            values += [tie, tie.nextUp, tie.nextDown, Double(tenths) / 8, Double(tenths) / 10]
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100_000 {
            values.append(.random(in: 0...100, using: &generator))
            values.append(Double(UInt32.random(in: 0...100_000, using: &generator)) / 1000)
        }
        values += [0, .leastNonzeroMagnitude, .leastNormalMagnitude, 9.95, 9.96, 99.95, 100]
        for value in values {
            let text = ListPart.oneDecimal(value)
            let expected = String(format: "%.1f", value)
            if text != expected { #expect(text == expected, "\(value)") }
        }
    }

    @Test(
        "a score of 0 to 10 is shown, anything else is none",
        arguments: [
            (0.0, "0.0"), (-0.0, "0.0"), (10, "10.0"), (7.25, "7.2"), (7.35, "7.3"), (nil, nil),
            (-0.1, nil), (10.1, nil), (.nan, nil), (.infinity, nil), (1e300, nil),
        ] as [(Double?, String?)])
    func shown(value: Double?, text: String?) {
        let html = ListPart.score(value).text
        #expect(html.contains("unrated") == (text == nil))
        if let text { #expect(html.contains("</span> \(text)</p>")) }
    }
}
