import Testing

@testable import FixtureOrigin

@Suite struct GzipTests {
    @Test func `stored gzip holds the bytes, their checksum and their number`() {
        let bytes = Array("123456789".utf8)
        // The check value of CRC-32 is CBF43926.
        let expected: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 9, 0, 0xF6, 0xFF] + bytes
            + [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0]
        #expect(Gzip.stored(bytes) == expected)
    }

    @Test func `more than one block is needed past 65535 bytes, and only the last is marked`() {
        let stored = Gzip.stored([UInt8](repeating: 7, count: 65_536))
        #expect(stored.count == 10 + 5 + 65_535 + 5 + 1 + 8)
        #expect(stored[10] == 0)
        #expect(stored[10 + 5 + 65_535] == 1)
    }

    @Test func `a bomb swells to 259 zeros from one match`() {
        // Inflated with gzip(1) when this was written.
        let bits: [UInt8] = [0x63, 0x18, 0x05, 0x00]
        let bomb = Gzip.bomb(inflatedBytes: 259)
        #expect(bomb.dropFirst(10).dropLast(8).elementsEqual(bits))
        #expect(bomb.suffix(4).elementsEqual([3, 1, 0, 0]))
    }

    @Test func `a bomb is more than a hundred times smaller than what it swells to`() {
        #expect(Gzip.bomb(inflatedBytes: 1 << 20).count * 100 < 1 << 20)
    }
}
