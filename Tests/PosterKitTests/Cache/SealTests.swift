import Testing

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct SealTests {
    private let body = Array("a poster".utf8)

    private func seal(_ change: (inout Seal) -> Void = { _ in }) -> Seal {
        var seal = Seal(
            key: "posters/w342/Ab/AbCdEf.jpg", bodyLength: body.count,
            bodyHash: ContentHash(of: body), fetched: Timestamp(seconds: 1_796_000_000),
            validators: Validators(entityTag: "\"5d\"", lastModified: "yesterday"),
            source: ContentHash(high: 1, low: 2), contentType: "application/json")
        change(&seal)
        return seal
    }

    private func read(_ file: [UInt8]) throws(Seal.Fault) -> Seal {
        try Seal(atEndOf: file, fileLength: file.count) { $0.hasPrefix("posters/w342") }
    }

    @Test func `a seal reads back as itself`() throws {
        #expect(try read(body + seal().bytes) == seal())
        let bare = seal { ($0.validators, $0.source, $0.contentType) = (Validators(), nil, nil) }
        #expect(try read(body + bare.bytes) == bare)
    }

    @Test func `a seal reads from the tail of a file alone`() throws {
        let bytes = seal().bytes
        let read = try Seal(
            atEndOf: [7] + bytes, fileLength: body.count + bytes.count
        ) { _ in true }
        #expect(read == seal())
    }

    @Test func `a text over a kibibyte is dropped and an empty one is kept`() throws {
        let long = seal {
            $0.validators = Validators(
                entityTag: String(repeating: "e", count: 1025), lastModified: "")
        }
        let read = try read(body + long.bytes)
        #expect(read.validators == Validators(entityTag: nil, lastModified: ""))
    }

    @Test func `the longest seal is within the limit that readers keep to`() {
        let text = String(repeating: "t", count: Seal.maxTextLength)
        let longest = seal {
            $0.key = String(repeating: "k", count: Seal.maxKeyLength)
            $0.validators = Validators(entityTag: text, lastModified: text)
            $0.contentType = text
        }
        #expect(longest.bytes.count == Seal.maxLength)
    }

    @Test("what is no entry says why", arguments: Damage.all)
    func damaged(damage: Damage) {
        let fault = #expect(throws: Seal.Fault.self) { try read(damage.file(body, seal())) }
        #expect(fault?.reason == damage.reason)
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var reason: EntryFault
        var file: @Sendable ([UInt8], Seal) -> [UInt8]

        static let all = [
            Damage(testDescription: "nothing", reason: .empty) { _, _ in [] },
            Damage(testDescription: "one byte", reason: .torn) { _, _ in [7] },
            Damage(testDescription: "no seal", reason: .torn) { body, _ in body },
            Damage(testDescription: "seal alone", reason: .torn) { _, seal in seal.bytes },
            Damage(testDescription: "doubled", reason: .torn) { body, seal in
                body + seal.bytes + body + seal.bytes
            },
            Damage(testDescription: "grown", reason: .torn) { body, seal in
                body + seal.bytes + [0]
            },
            Damage(testDescription: "another's", reason: .key) { body, seal in
                var seal = seal
                seal.key = "posters/w185/Ab/AbCdEf.jpg"
                return body + seal.bytes
            },
            Damage(testDescription: "of a later version", reason: .version) { body, seal in
                var bytes = seal.bytes.dropLast(24)
                bytes[8] = 2
                let tail = seal.bytes.suffix(8)
                let hash = ContentHash(of: Array(bytes))
                let words = [hash.high, hash.low].flatMap { word in
                    (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
                }
                return body + bytes + words + tail
            },
        ]
    }

    @Test func `every cut of a file and every flipped bit of a seal is seen`() {
        let file = body + seal().bytes
        for length in 0..<file.count {
            #expect(throws: Seal.Fault.self) { try read(Array(file.prefix(length))) }
        }
        for bit in (body.count * 8)..<(file.count * 8) {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: Seal.Fault.self, "bit \(bit)") { try read(flipped) }
        }
    }
}
