import Foundation
import PosterBase
import Testing
import TestSupport

@testable import onesheet

/// Lines for a reader that may not read: none of them holds up the thread that has it to tell.
@Suite struct LineQueueTests {
    @Test(
        "a reader that has stopped loses lines, whole ones, and learns how many", arguments: [1, 4])
    func stalledReader(threads: Int) throws {
        let pipe = Pipe()
        let lost = Monitor(0)
        let queue = LineQueue(dup(pipe.fileHandleForWriting.fileDescriptor), capacity: 50_000) {
            count in
            lost.withLock { $0 += count }
        }
        try pipe.fileHandleForWriting.close()
        let lines = (0..<4000).map { "\($0) " + String(repeating: "x", count: $0 % 90) }
        let writers = (0..<threads).map { thread in
            PosixThread(name: "writer") {
                for line in lines where (line.utf8.count + thread) % threads == 0 {
                    queue.append(line)
                }
            }
        }
        // They end, though nothing has been read.
        for writer in writers { writer.join() }
        let reading = Monitor([UInt8]())
        let reader = PosixThread(name: "reader") {
            let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
            reading.withLock { $0 = bytes }
        }
        queue.finish(within: .seconds(60))
        // What was lost is told with the next line.
        queue.append("the last")
        queue.finish(within: .seconds(60))
        queue.close()
        reader.join()
        let text = String(decoding: reading.withLock { $0 }, as: UTF8.self)
        let read = text.split(separator: "\n").map(String.init)
        #expect(read.last == "the last")
        #expect(Set(read.dropLast()).isSubset(of: lines))
        #expect(Set(read).count == read.count)
        #expect(read.count - 1 + lost.withLock { $0 } == lines.count)
        #expect(lost.withLock { $0 } > 0)
        if threads == 1 {
            let order = read.dropLast().compactMap {
                $0.split(separator: " ").first.flatMap { Int($0) }
            }
            #expect(order == order.sorted())
        }
    }

    @Test func `lines go on into another file, and none is torn or lost`() throws {
        let directory = TemporaryDirectory()
        func opened(_ name: String) -> Int32 {
            open("\(directory.path)/\(name)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        let queue = LineQueue(opened("0")) { _ in Issue.record("lines were lost") }
        for number in 1...50 {
            for line in 0..<100 { queue.append("\(number) \(line)") }
            queue.replace(with: opened("\(number)"))
        }
        queue.finish(within: .seconds(60))
        let all = try (0...50).flatMap { number in
            try String(contentsOfFile: "\(directory.path)/\(number)", encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
        #expect(all == (1...50).flatMap { number in (0..<100).map { "\(number) \($0)" } })
    }
}
