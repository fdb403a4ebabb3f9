import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct TransferWorkerTests {
    @Test(
        "every way to fail has its name, and no bytes come of it",
        arguments: [
            FaultCase(.reset(after: 1000), .reset),
            FaultCase(.reset(after: 1000, withLength: false), .reset),
            FaultCase(.refused, .reset), FaultCase(.short(after: 1000), .shortBody),
            FaultCase(.brokenChunks(.inData, after: 1000), .shortBody),
            FaultCase(.brokenChunks(.afterChunk, after: 1000), .shortBody),
            FaultCase(.brokenChunks(.beforeLastCRLF, after: 1000), .shortBody),
            FaultCase(.brokenChunks(.badSize, after: 1000), .framing),
            FaultCase(.contentLength(["40002", "7"]), .framing),
            FaultCase(.contentLength(["-1"]), .framing),
            FaultCase(.contentLength(["many"]), .framing),
            FaultCase(.contentLength(["+40002"]), .framing),
            FaultCase(.contentLength(["99999999999999999999"]), .framing),
            FaultCase(.lengthAndChunks, .framing),
            FaultCase(.headers([("Transfer-Encoding", "gzip, chunked")]), .framing),
            FaultCase(.endless(chunked: true), .tooLarge),
            FaultCase(.endless(chunked: false), .tooLarge),
            FaultCase(.oversized(length: 16 << 20), .tooLarge),
            FaultCase(.encoding("br"), .encoded), FaultCase(.encoding("identity, gzip"), .encoded),
            FaultCase(.encoding("unheard-of"), .encoded), FaultCase(.gzip, .encoded),
            FaultCase(.gzipBomb(bytes: 4 << 20), .encoded),
            FaultCase(.headerBomb(.longLine), .framing),
            FaultCase(.headerBomb(.manyLines), .framing),
            FaultCase(.headerBomb(.endless), .framing), FaultCase(.headerBomb(.nul), .framing),
            FaultCase(.headerBomb(.noColon), .framing),
            FaultCase(.headerBomb(.folded), .framing), FaultCase(.notHTTP(.http09), .framing),
            FaultCase(.notHTTP(.icy), .framing), FaultCase(.notHTTP(.garbage), .framing),
            FaultCase(.notHTTP(.emptyReply), .emptyReply),
            FaultCase(.informational(count: 100_000), .framing),
        ])
    func named(row: FaultCase) throws {
        let upstream = try Upstream(row.fault)
        let error = #expect(throws: FetchError.self) { try upstream.fetch() }
        #expect(error?.reason == row.reason, "\(String(describing: error))")
    }

    @Test(
        "an answer that is too slow is left",
        arguments: [
            FaultCase(.hang(), .firstByteTimeout), FaultCase(.hang(after: 1000), .stalled),
            FaultCase(.drip(bytes: 2, every: .milliseconds(50)), .stalled),
        ])
    func slow(row: FaultCase) throws {
        let upstream = try Upstream(row.fault)
        let error = #expect(throws: FetchError.self) { try upstream.fetch(isHasty: true) }
        #expect(error?.reason == row.reason, "\(String(describing: error))")
    }

    /// A clock that jumps by 17 seconds at its fifth reading, as for a process that was stopped.
    private func jumpingClock(_ atJump: @escaping @Sendable () -> Void = {}) -> TimeSource {
        let readings = Monitor(0)
        return TimeSource(
            now: { .now() },
            instant: {
                let reading = readings.withLock { readings in
                    readings += 1
                    return readings
                }
                if reading == 5 { atJump() }
                return .now + (reading < 5 ? .zero : .seconds(17))
            })
    }

    @Test("a limit that passed while this process stood still says nothing of upstream")
    func halted() throws {
        let upstream = try Upstream(.hang())
        var worker = TransferWorker(userAgent: "onesheet-test", caFile: nil, clock: jumpingClock())
        let request = FetchRequest(
            url: upstream.url, accept: "image/*", maxBytes: 8 << 20, maxRedirects: 3,
            timeout: .milliseconds(600))
        let error = #expect(throws: FetchError.self) { try worker.fetch(request) }
        #expect(error?.reason == .halted && error?.isWorthRetrying == true)
        #expect(error?.detail.contains("stood still for 1") == true)
        var breaker = HostBreaker()
        for name in 0..<100 {
            #expect(breaker.note(.halted, of: "http://x/\(name).jpg", now: .now) == nil)
        }
    }

    @Test func `an answer that comes after this process stood still is had`() throws {
        let upstream = try Upstream()
        upstream.origin.hold(at: Upstream.path)
        let clock = jumpingClock { upstream.origin.release(at: Upstream.path) }
        var worker = TransferWorker(userAgent: "onesheet-test", caFile: nil, clock: clock)
        #expect(try worker.fetch(upstream.request()).body == Upstream.poster)
    }

    @Test(
        "what is odd but whole is had, byte for byte",
        arguments: [
            .normal, .chunked, .http10(), .http10(withLength: true), .contentType(nil),
            .contentType("text/html"), .informational(count: 10), .encoding("identity"),
            .contentLength(["40002", "40002"]), .excess(100),
            .drip(bytes: 4096, every: .milliseconds(1)),
        ] as [Fault])
    func whole(fault: Fault) throws {
        let response = try Upstream(fault).fetch()
        #expect(response.status == 200)
        #expect(response.body == Upstream.poster)
    }

    @Test func `bytes past the announced length are not the next answer's`() throws {
        let upstream = try Upstream(.excess(100), times: 1)
        let metrics = FetchMetrics()
        var worker = TransferWorker(
            userAgent: "onesheet-test", caFile: nil, metrics: metrics)
        for _ in 0..<2 {
            #expect(try worker.fetch(upstream.request()).body == Upstream.poster)
        }
        #expect(upstream.origin.acceptedConnections == 2)
        #expect(metrics.notes[.excess] == 1)
    }

    @Test func `limits of ours are seen as soon as those that libcurl keeps`() throws {
        let order = Monitor<[FetchError.Reason]>([])
        let upstream = try Upstream(.hang())
        // Were the clock looked at once a second, the first byte would be missed after the whole.
        let limits = [
            (Duration.milliseconds(300), Duration.seconds(9)), (.seconds(9), .milliseconds(900)),
        ]
        let threads = limits.map { firstByte, whole in
            PosixThread(name: "limits") {
                var limits = TransferLimits()
                limits.firstByte = firstByte
                var worker = TransferWorker(
                    userAgent: "onesheet-test", caFile: nil, limits: limits)
                var request = upstream.request()
                request.timeout = whole
                do throws(FetchError) { _ = try worker.fetch(request) } catch {
                    order.withLock { $0.append(error.reason) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(order.withLock { $0 } == [.firstByteTimeout, .totalTimeout])
    }

    @Test(
        "a connection that the host ends brought no more than it should",
        arguments: [.http10(), .http10(withLength: true), .chunked, .normal] as [Fault])
    func noExcess(fault: Fault) throws {
        let upstream = try Upstream(fault)
        let metrics = FetchMetrics()
        var worker = TransferWorker(
            userAgent: "onesheet-test", caFile: nil, metrics: metrics)
        for _ in 0..<2 { _ = try worker.fetch(upstream.request()) }
        #expect(metrics.notes[.excess] == 0)
    }

    @Test func `one connection serves many fetches`() throws {
        let upstream = try Upstream()
        var worker = Upstream.worker()
        for _ in 0..<5 { _ = try worker.fetch(upstream.request()) }
        #expect(upstream.origin.acceptedConnections == 1)
    }

    @Test func `a kept connection that has died meanwhile is made anew`() throws {
        let upstream = try Upstream()
        var worker = Upstream.worker()
        _ = try worker.fetch(upstream.request())
        upstream.origin.goDown()
        try upstream.origin.comeBack()
        #expect(try worker.fetch(upstream.request()).body == Upstream.poster)
    }

    @Test func `nobody listening is refused`() throws {
        let upstream = try Upstream()
        upstream.origin.goDown()
        let error = #expect(throws: FetchError.self) { try upstream.fetch() }
        #expect(error?.reason == .connect)
    }

    @Test func `a body of the limit passes and one byte more does not`() throws {
        let upstream = try Upstream(.chunked)
        let size = Upstream.poster.count
        #expect(try upstream.fetch(upstream.request(maxBytes: size)).body.count == size)
        let error = #expect(throws: FetchError.self) {
            try upstream.fetch(upstream.request(maxBytes: size - 1))
        }
        #expect(error?.reason == .tooLarge)
    }

    @Test("no memory is reserved by a length that is announced", arguments: [17, 18])
    func announced(digits: Int) throws {
        let length = String(repeating: "9", count: digits)
        let upstream = try Upstream(.contentLength([length]))
        #expect(throws: FetchError.self) {
            try upstream.fetch(upstream.request(maxBytes: .max), isHasty: true)
        }
    }

    @Test func `the whole may take no longer than the request says`() throws {
        let upstream = try Upstream(.drip(bytes: 500, every: .milliseconds(20)))
        var request = upstream.request()
        request.timeout = .milliseconds(200)
        let error = #expect(throws: FetchError.self) { try upstream.fetch(request) }
        #expect(error?.reason == .totalTimeout)
    }

    @Test(
        "a status that is no success counts even when its body is not whole",
        arguments: [
            .sequence([.status(404, body: Array(repeating: 0x2E, count: 1 << 20))]),
            .status(404, headers: [("Content-Encoding", "gzip")]),
        ] as [Fault])
    func statusCounts(fault: Fault) throws {
        let response = try Upstream(fault).fetch()
        #expect(response.status == 404)
        #expect(response.body.isEmpty)
    }

    @Test func `what is sent is a plain request that names the program`() throws {
        let upstream = try Upstream()
        var request = upstream.request()
        request.validators = Validators(
            entityTag: "W/\"v0\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        _ = try upstream.fetch(request)
        let sent = try #require(upstream.origin.log.first)
        #expect(sent.method == "GET")
        let names = sent.headers.map { $0.name.lowercased() }.sorted()
        #expect(
            names == ["accept", "host", "if-modified-since", "if-none-match", "user-agent"])
        #expect(sent.header("User-Agent") == "onesheet-test")
        #expect(sent.header("If-None-Match") == "W/\"v0\"")
    }

    @Test func `a value with a line break adds no header`() throws {
        let upstream = try Upstream()
        var request = upstream.request()
        request.validators = Validators(entityTag: "\"a\"\r\nX-Evil: 1")
        #expect(throws: FetchError.self) { try upstream.fetch(request) }
        #expect(upstream.origin.totalRequests == 0)
    }

    @Test func `a transfer ends when the store closes, and no other begins`() throws {
        let upstream = try Upstream(.hang())
        let stop = StopSignal()
        let pool = WorkerPool<TransferWorker>(name: "transfers", threads: 1, capacity: 2) {
            TransferWorker(userAgent: "onesheet-test", caFile: nil, stop: stop)
        }
        let reasons = Monitor<[FetchError.Reason]>([])
        for _ in 0..<2 {
            _ = pool.submit(.live) { worker in
                do throws(FetchError) { _ = try worker.fetch(upstream.request()) } catch {
                    reasons.withLock { $0.append(error.reason) }
                }
            }
        }
        #expect(upstream.origin.waitUntilRequested(Upstream.path))
        stop.raise()
        pool.stop()
        #expect(reasons.withLock { $0 } == [.closed, .closed])
        #expect(upstream.origin.totalRequests == 1)
    }
}
