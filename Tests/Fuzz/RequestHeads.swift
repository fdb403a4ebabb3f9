/// A request head in pieces: it must come to the same as in one piece, and what is taken must be one
/// whole head without a byte that another server might read otherwise. The first two bytes choose
/// the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestHeads(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input.dropFirst(2))
    withinBudget {
        let (whole, head) = parse(bytes, step: bytes.count + 1, first: 0)
        let step = Int(input[0]) + 1
        let (split, splitHead) = parse(bytes, step: step, first: Int(input[1]))
        guard whole == split else { fatalError("\(whole) in one piece, \(split) in several") }
        guard case .complete(let length) = whole else { return }
        guard head == splitHead else { fatalError("\(head) in one piece, \(splitHead) in several") }
        check(Array(bytes[..<length]))
    }
    return 0
}

private let limit = 8192

private func parse(
    _ bytes: [UInt8], step: Int, first: Int
) -> (HeadParser.Progress, head: RequestHead) {
    var parser = HeadParser()
    var end = min(first, bytes.count)
    while true {
        let progress = Array(bytes[..<end]).withUnsafeBufferPointer {
            parser.parse($0, limit: limit)
        }
        if progress != .incomplete || end == bytes.count { return (progress, parser.head) }
        end = min(end + step, bytes.count)
    }
}

/// Every LF follows a CR, every CR precedes an LF, no other control character but tabs, and the
/// first empty line after the request line is the end.
private func check(_ head: [UInt8]) {
    guard head.count <= limit, head.suffix(4).elementsEqual([13, 10, 13, 10]) else {
        fatalError("no whole head")
    }
    for (index, byte) in head.enumerated() {
        let isInOrder =
            switch byte {
            case 10: index > 0 && head[index - 1] == 13
            case 13: index + 1 < head.count && head[index + 1] == 10
            case 9: true
            default: byte >= 0x20 && byte != 0x7F
            }
        guard isInOrder else { fatalError("byte \(byte) at \(index) was taken") }
    }
    let lines = head.drop { $0 == 13 || $0 == 10 }
    let ends = lines.indices.filter { lines[$0...].starts(with: [13, 10, 13, 10]) }
    guard ends == [head.count - 4] else { fatalError("the head ends before its end") }
}
