import Amodb
import PosterKit
import PosterServer
import Testing
import TestSupport

@testable import PosterObjectStore
@testable import onesheet

/// The values of options and variables, at their most extreme: read or refused, never a trap.
@Suite struct ExtremeValueTests {
    /// The value that the digits stand for, by a model that cannot overflow; `nil` for no digits.
    private func model(_ digits: Substring) -> UInt128? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        var value: UInt128 = 0
        for digit in digits.utf8 {
            // Far beyond every limit, and far from an overflow of its own.
            value = min(value * 10 + UInt128(digit - 0x30), 1 << 100)
        }
        return value
    }

    @Test func `a size in bytes is what its digits and its unit say, or refused`() {
        for text in Extremes.texts {
            for (unit, factor) in [("", 0), ("K", 10), ("m", 20), ("G", 30), ("T", 40)] {
                let written = text + unit
                let exact = model(text[...]).map { min($0, 1 << 80) << UInt128(factor) }
                let isTaken = exact.map { $0 <= UInt128(Int.max) && (factor > 0 || $0 >= 1 << 20) }
                let size = try? ByteSize(argument: written)
                #expect((size != nil) == (isTaken ?? false), "\(written.prefix(60))")
                if let size { #expect(UInt128(size.bytes) == exact) }
            }
        }
    }

    @Test func `an age is what its digits and its unit say, or refused`() {
        for text in Extremes.texts {
            for (unit, seconds) in [
                ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
            ] {
                guard let age = try? Age(argument: text + unit) else { continue }
                let exact = (model(text[...]) ?? 0) * UInt128(seconds)
                #expect(UInt128(age.duration.components.seconds) == exact)
            }
        }
    }

    @Test(
        "every kind of value reads or refuses every text",
        arguments: ["#", "#x#", "#.#", "#,#", "http://#:#/#", "s3://#/#", "#:#", "[#]:#", "w#"])
    func values(template: String) {
        let readers: [(String) throws -> Void] = [
            { _ = try Age(argument: $0) }, { _ = try ByteSize(argument: $0) },
            { _ = try ByteSizeOrNone(argument: $0) }, { _ = try Box(argument: $0) },
            { _ = try CommaList<Box>(argument: $0) }, { _ = try CommaList<Quality>(argument: $0) },
            { _ = try Origin(argument: $0) }, { _ = try PictureSize(argument: $0) },
            { _ = try Quality(argument: $0) }, { _ = try Seconds(argument: $0) },
            { _ = try WholeNumber(argument: $0) }, { _ = try BaseURL(argument: $0) },
            { _ = try ListenAddress(argument: $0) },
            { _ = try ObjectStoreLocation(argument: $0) },
            { _ = try CommaList<PosterSize>(argument: $0) },
        ]
        for text in Extremes.filled(template) {
            for read in readers { _ = try? read(text) }
        }
    }

    @Test func `every number can be shown`() {
        for number in Extremes.integers {
            _ = (byteText(Int(number)), ageText(.seconds(number)))
            var line = ProgressLine(label: "prefetch")
            (line.done, line.total, line.bytes) = (Int(number), 100, Int(number))
            _ = (line.plain, line.bar(columns: 80, isUnicode: true))
            _ = JSONValue.integer(Int(number)).description
        }
        for number in Extremes.decimals {
            _ = (timeText(number), wholeTimeText(number), fixedPoint(number, places: 3))
            var line = ProgressLine(label: "prefetch")
            (line.bytesPerSecond, line.secondsLeft, line.total) = (number, number, 10)
            _ = (line.plain, line.bar(columns: 80, isUnicode: false))
            _ = JSONValue.decimal(number, places: 3).description
        }
    }

    @Test(
        "every option with a number takes or refuses every text",
        arguments: ["serve", "prefetch", "prune", "thumbnail", "store"])
    func options(name: String) throws {
        let command = try Command.named(name)
        for option in command.allOptions where option.placeholder != nil {
            for text in Extremes.texts where !text.utf8.contains(0) {
                let arguments = try Arguments.parsed(
                    ["--\(option.name)=\(text)"], for: command)
                _ = try? arguments.number(option, in: 0...100_000)
                _ = try? arguments.required(option, as: Seconds.self)
            }
        }
    }
}
