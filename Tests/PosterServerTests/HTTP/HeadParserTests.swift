import Testing

@testable import PosterHTTP
@testable import PosterServer

/// The head parser against a model that takes whole heads only and is slow and obvious.
@Suite struct HeadParserTests {
    private static let limit = 400

    /// What a parser makes of bytes, in comparable form.
    private enum Outcome: Equatable {
        case incomplete
        case refused(HeadFault)
        case complete(length: Int, head: RequestHead)
    }

    /// Feeds a parser the pieces between the cuts.
    private func parse(_ bytes: [UInt8], cuts: [Int] = []) -> Outcome {
        var parser = HeadParser()
        for end in cuts + [bytes.count] {
            // A buffer of its own each time: nothing of the last call's memory may be needed.
            let progress = Array(bytes[..<end]).withUnsafeBufferPointer {
                parser.parse($0, limit: Self.limit)
            }
            switch progress {
            case .incomplete: continue
            case .refused(let fault): return .refused(fault)
            case .complete(let length):
                return .complete(length: length, head: parser.head)
            }
        }
        return .incomplete
    }

    @Test("however a head is split, it comes to the same", arguments: 0..<40)
    func splits(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<25 {
            let bytes = GeneratedHead.bytes(using: &random)
            let whole = parse(bytes)
            for cut in 0..<bytes.count {
                #expect(parse(bytes, cuts: [cut]) == whole, "\(bytes.shown) cut at \(cut)")
            }
            #expect(parse(bytes, cuts: Array(0..<bytes.count)) == whole, "\(bytes.shown)")
            let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &random) }
            #expect(parse(bytes, cuts: cuts.sorted()) == whole, "\(bytes.shown)")
        }
    }

    @Test("it takes and refuses what the model does", arguments: 0..<40)
    func model(seed: UInt64) {
        var random = SplitMix(seed: seed ^ 0xFFFF)
        for _ in 0..<250 {
            let bytes = GeneratedHead.bytes(using: &random)
            let outcome = parse(bytes)
            switch HeadModel(bytes, limit: Self.limit).outcome {
            case .incomplete: #expect(outcome == .incomplete, "\(bytes.shown)")
            case .refused(let status):
                guard case .refused(let fault) = outcome else {
                    Issue.record("\(bytes.shown): \(outcome), not \(status)")
                    continue
                }
                #expect(fault.status == status, "\(bytes.shown)")
            case .complete(let length, let head):
                #expect(
                    outcome == .complete(length: length, head: head), "\(bytes.shown)")
            }
        }
    }

    @Test func `the generator makes heads of every kind`() {
        var random = SplitMix(seed: 1)
        var kinds: [String: Int] = [:]
        for _ in 0..<5000 {
            let bytes = GeneratedHead.bytes(using: &random)
            switch HeadModel(bytes, limit: Self.limit).outcome {
            case .incomplete: kinds["incomplete", default: 0] += 1
            case .refused(let status): kinds["\(status)", default: 0] += 1
            case .complete: kinds["complete", default: 0] += 1
            }
        }
        for kind in ["incomplete", "complete", "400", "414", "431", "505"] {
            #expect(kinds[kind, default: 0] > 20, "\(kind)")
        }
    }
}

extension [UInt8] {
    /// As a Swift literal would have it.
    var shown: String { String(decoding: self, as: UTF8.self).debugDescription }
}
