import Testing

@testable import PosterServer

@Suite struct ByteRangeTests {
    static let length = 1000

    @Test(
        "one range that begins within the body is that part of it",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-", 500..<1000),
            ("bytes=-1", 999..<1000), ("bytes=-1000", 0..<1000), ("bytes=-5000", 0..<1000),
            ("bytes=0-999999", 0..<1000), ("bytes=999-", 999..<1000), ("bytes=999-999", 999..<1000),
            ("bytes=0-18446744073709551616", 0..<1000), ("bytes=-18446744073709551616", 0..<1000),
            ("BYTES=1-2", 1..<3), ("bytes= 1-2 ", 1..<3), ("bytes=00-01", 0..<2),
        ])
    func part(header: String, range: Range<Int>) {
        #expect(ByteRange(header, length: Self.length) == .part(range))
    }

    @Test(
        "one range that begins beyond the body is not satisfiable",
        arguments: [
            "bytes=1000-", "bytes=1000-1000", "bytes=5000-6000", "bytes=-0", "bytes=-00",
            "bytes=18446744073709551616-", "bytes=99999999999999999999999999-", "bytes=1000-5000",
        ])
    func unsatisfiable(header: String) {
        #expect(ByteRange(header, length: Self.length) == .unsatisfiable)
    }

    @Test(
        "what is malformed, of another unit, or several ranges is the whole",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=x", "bytes=5-2", "bytes=a-b", "bytes=1-b",
            "bytes=--1", "bytes=1--2", "bytes=1-2-3", "bytes=+1-2", "bytes=1 - 2", "bytes=1.0-2",
            "bytes=0x1-2", "bytes=0-0,1-1", "bytes=0-0,", "bytes=,0-0", "bytes=0-,0-,0-",
            "bytes:0-1",
            "byte=0-1", "items=0-1", "0-1", "=0-1", "bytes=١-٢", "bytes==0-1", "bytes=0-1;q=1",
            String(repeating: "bytes=0-0,", count: 1000),
        ])
    func whole(header: String?) {
        #expect(ByteRange(header, length: Self.length) == .whole)
    }
}
