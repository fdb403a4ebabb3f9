import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit
@testable import PosterLists

@Suite struct ListStoreTests {
    @Test func `a list is asked for once in half an hour, whoever wants it`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        let first = try store.ask()
        #expect(first.source == .upstream)
        #expect(first.body == ListBench.list)
        #expect((first.status, first.secondsLeft) == (200, 1800))
        bench.advance(by: .seconds(1799))
        let second = try bench.store().ask()
        #expect(second.source == .cache)
        #expect(second.body == ListBench.list)
        #expect((second.ageSeconds, second.secondsLeft) == (1799, 1))
        #expect(bench.requests == 1)
        bench.advance(by: .seconds(1801))
        #expect(try store.ask().source == .upstream)
        #expect(bench.requests == 2)
    }

    @Test func `for half an hour more it is served at once, and asked for once in the background`()
        throws
    {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        bench.advance(by: .seconds(1800))
        let request = try ListRequest(path: "/trending/movie/week")
        bench.origin.hold(at: ListBench.path)
        for _ in 0..<100 {
            let answer = try store.ask()
            #expect(answer.source == .refreshing)
            #expect((answer.body, answer.secondsLeft) == (ListBench.list, 0))
            #expect(store.cached(request)?.source == .refreshing)
        }
        // A request for a new one joins the question that is under way.
        let new = Monitor<[UInt8]?>(nil)
        store.answer(request, mayBeOld: false) { result in
            if case .success(let answer) = result { new.withLock { $0 = answer.body } }
            new.notifyAll()
        }
        bench.origin.release(at: ListBench.path)
        #expect(new.wait { $0 } == ListBench.list)
        #expect(bench.requests == 2)
        #expect(try store.ask().source == .cache)
    }

    @Test func `a prefetch takes no list that is over half an hour old`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        bench.advance(by: .seconds(1800))
        let request = try ListRequest(path: "/trending/movie/week")
        #expect(try store.ask(request, for: .prefetch).source == .upstream)
    }

    @Test func `beyond the budget the last good list is served, else an error with its time`()
        throws
    {
        let bench = try ListBench()
        let (store, other, list) = (try bench.store(), try bench.store(), "region=US")
        _ = try store.ask(list)
        bench.advance(by: .seconds(3600))
        for page in 1...12 {
            #expect(try [store, other][page % 2].ask("page=\(page)").source == .upstream)
        }
        #expect(bench.requests == 13)
        for page in 13...37 {
            #expect(throws: ListError.budgetSpent(retryAfterSeconds: 60)) {
                try store.ask("page=\(page)")
            }
        }
        #expect(bench.requests == 13)
        #expect(bench.metrics.fetch.notes[.listBudgetSpent] == 25)
        // It was asked for an hour ago, so that it is no list in use; but now it is.
        let error = ListError.budgetSpent(retryAfterSeconds: 60)
        #expect(try store.ask(list).source == .stale(error))
        for count in 14...21 {
            #expect(try other.ask(list, mayBeOld: false).source == .upstream)
            #expect(bench.requests == count)
        }
        #expect(try other.ask(list, mayBeOld: false).source == .stale(error))
        bench.advance(by: .seconds(60))
        #expect(try store.ask("page=41").source == .upstream)
    }

    @Test func `the page's own lists come in while ever other lists are asked for`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        for page in 1...12 { _ = try store.ask("page=\(page)") }
        #expect(throws: ListError.self) { try store.ask("page=13") }
        #expect(try store.ask().source == .upstream)
        #expect(try store.ask("language=en-US").source == .upstream)
        #expect(throws: ListError.self) { try store.ask("language=de-DE") }
        #expect(bench.requests == 14)
    }

    @Test func `a prefetch comes in while clients ask for ever other lists`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        for page in 1...12 { _ = try store.ask("page=\(page)") }
        #expect(throws: ListError.self) { try store.ask("page=13") }
        for page in 14...16 {
            let request = try ListRequest(path: "/tv/popular", query: "page=\(page)")
            #expect(try store.ask(request, for: .prefetch).source == .upstream)
        }
        #expect(bench.elapsed == .zero)
        // A long one uses up nothing of what is kept for lists in use.
        let request = try ListRequest(path: "/tv/popular", query: "page=17")
        #expect(try store.ask(request, for: .prefetch).source == .upstream)
        #expect(bench.elapsed == .seconds(60))
    }

    @Test func `each wait for a rate limit counts, and an unasked question does not`() throws {
        let bench = try ListBench(.status(429, headers: [("Retry-After", "1")])) {
            $0.listRequestsPerMinute = 4
        }
        let store = try bench.store()
        #expect(throws: ListError.self) { try store.ask() }
        #expect(bench.requests == 3)
        for page in 1...10 { #expect(throws: ListError.self) { try store.ask("page=\(page)") } }
        #expect(bench.requests <= 3)
    }

    @Test func `a prefetch waits for room in the budget`() throws {
        let bench = try ListBench { $0.listRequestsPerMinute = 4 }
        let store = try bench.store()
        for page in 1...12 {
            let request = try ListRequest(path: "/trending/movie/week", query: "page=\(page)")
            #expect(try store.ask(request, for: .prefetch).source == .upstream)
        }
        #expect(bench.requests == 12)
        #expect(bench.elapsed == .seconds(180))
    }

    @Test func `each query is a list of its own`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        for query in ["", "language=ru-RU", "page=2", "language=ru-RU&page=2"] {
            #expect(try store.ask(query).source == .upstream)
            #expect(try store.ask(query).source == .cache)
        }
        #expect(bench.requests == 4)
    }

    @Test func `a hundred clients at once are one request`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        let request = try ListRequest(path: "/trending/movie/week")
        let answers = Monitor(0)
        bench.origin.hold(at: ListBench.path)
        for _ in 0..<100 {
            store.answer(request) { result in
                if case .success = result { answers.withLock { $0 += 1 } }
                answers.notifyAll()
            }
        }
        bench.origin.release(at: ListBench.path)
        answers.wait { $0 == 100 ? () : nil }
        #expect(bench.requests == 1)
    }

    @Test func `who wants it new gets it new`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        #expect(try store.ask(mayBeOld: false).source == .upstream)
        #expect(bench.requests == 2)
    }

    @Test func `without a key nothing is asked, and what is kept is still had`() throws {
        let bench = try ListBench()
        for key in [nil, ""] {
            #expect(throws: ListError.keyMissing) { try bench.store(key: key).ask() }
        }
        #expect(bench.requests == 0)
        _ = try bench.store().ask()
        #expect(try bench.store(key: nil).ask().source == .cache)
    }

    @Test(
        "in an outage the last good list is served, for a day",
        arguments: [
            .status(500), .status(503), .refused, .html, .short(after: 5), .status(401),
            .status(402),
            .status(429, headers: [("Retry-After", "1")]),
        ] as [Fault])
    func outage(fault: Fault) throws {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        bench.origin.misbehave(at: ListBench.path, fault)
        bench.advance(by: .seconds(3600))
        let answer = try store.ask()
        guard case .stale = answer.source else {
            return #expect(Bool(false), "\(answer.source)")
        }
        #expect(answer.body == ListBench.list)
        #expect(answer.secondsLeft == 0)
        #expect(answer.ageSeconds >= 3600)
        bench.advance(by: .seconds(23 * 3600))
        #expect(throws: ListError.self) { try store.ask() }
    }

    @Test(
        "a refusal stops the questions about every list, for its time",
        arguments: [(401, ListError.keyRefused, 300), (402, .planEnded, 3600)])
    func refusals(status: Int, error: ListError, seconds: Int) throws {
        let bench = try ListBench(.status(status), times: 1)
        let store = try bench.store()
        for query in ["", "", "page=2"] {
            #expect(throws: error) { try store.ask(query) }
        }
        #expect(bench.requests == 1)
        #expect(store.healthIssue?.code == .apiKeyRefused)
        #expect(bench.lines.withLock { $0 }.filter { $0.contains("list_api_refused") }.count == 1)
        bench.advance(by: .seconds(seconds))
        #expect(store.healthIssue == nil)
        #expect(try store.ask("page=3").source == .upstream)
    }

    @Test(
        "each way to fail is counted under its name, as often as the API was asked",
        arguments: [
            (.status(401), .keyRefused, 1), (.status(402), .planEnded, 1),
            (.status(429), .rateLimited, 3), (.status(500), .status5xx, 1),
            (.status(204), .unexpectedStatus, 1), (.html, .listInvalid, 1),
            (.short(after: 5), .shortBody, 1), (.refused, .reset, 1), (.gzip, .encoded, 1),
            (.oversized(length: 5 << 20), .tooLarge, 1), (.redirect(to: "/x"), .redirectRefused, 1),
        ] as [(Fault, FetchError.Reason, Int)])
    func counted(fault: Fault, reason: FetchError.Reason, count: Int) throws {
        let bench = try ListBench(fault)
        #expect(throws: ListError.self) { try bench.store().ask() }
        #expect(bench.requests == count)
        for other in FetchError.Reason.allCases {
            #expect(bench.metrics.fetch.errors[other] == (other == reason ? count : 0), "\(other)")
        }
        #expect(bench.metrics.fetch.notes[.retryAfterBad] == (reason == .rateLimited ? 3 : 0))
        #expect(bench.folder.files().filter { $0.hasPrefix("lists/") } == [])
    }

    @Test func `the API may take 10 s to its first byte, the image host 5 s`() {
        let limits = ListSettings(Configuration(cacheDirectory: "/"), clock: .system)
            .transferLimits
        #expect(limits.firstByte == .seconds(10))
        #expect(TransferLimits().firstByte == .seconds(5))
        #expect(Configuration(cacheDirectory: "/").listTimeout > limits.firstByte)
    }

    @Test func `an API that is silent for longer than it may be is unreachable`() throws {
        let bench = try ListBench(.hang()) { $0.listFirstByte = .milliseconds(100) }
        let error = #expect(throws: ListError.self) { try bench.store().ask() }
        guard case .unreachable(let cause) = error else { return #expect(Bool(false)) }
        #expect(cause.reason == .firstByteTimeout)
    }

    @Test func `an outage costs the API few questions`() throws {
        let bench = try ListBench(.status(500))
        let store = try bench.store()
        for _ in 0..<600 {
            #expect(throws: ListError.status(500)) { try store.ask() }
            bench.advance(by: .seconds(1))
        }
        // At 0, 15, 45, 105, 225 and 465 seconds.
        #expect(bench.requests == 6)
    }

    @Test func `a rate limit is waited out twice and then told with its time`() throws {
        let bench = try ListBench(.status(429, headers: [("Retry-After", "7")]))
        let store = try bench.store()
        #expect(throws: ListError.rateLimited(retryAfterSeconds: 7)) { try store.ask() }
        #expect(bench.requests == 3)
        #expect(bench.elapsed == .seconds(14))
    }

    @Test func `while every thread waits for a pause, others are told of it at once`() throws {
        let bench = try ListBench(.status(429, headers: [("Retry-After", "20")]))
        let (waiting, isOver) = (Monitor(0), Monitor(false))
        let store = try bench.store {
            waiting.withLock { $0 += 1 }
            waiting.notifyAll()
            isOver.wait { $0 ? () : nil }
        }
        let early = Monitor<[Result<ListAnswer, ListError>]>([])
        for page in 1...ListStore.threads {
            let request = try ListRequest(path: "/trending/movie/week", query: "page=\(page)")
            store.answer(request) { result in early.withLock { $0.append(result) } }
        }
        let areWaiting = waiting.wait(until: .now + .seconds(60)) {
            $0 == ListStore.threads ? true : nil
        }
        #expect(areWaiting == true, "answered instead: \(early.withLock { $0 })")
        #expect(throws: ListError.rateLimited(retryAfterSeconds: 20)) { try store.ask("page=9") }
        isOver.withLock { $0 = true }
        isOver.notifyAll()
    }

    @Test("what the API says of a request holds ten minutes", arguments: [404, 410, 400, 422])
    func missing(status: Int) throws {
        let body = Array("{\"status_message\":\"no\"}".utf8)
        let bench = try ListBench(
            .status(status, headers: [("Content-Type", "application/json")], body: body))
        let store = try bench.store()
        #expect(try store.ask().source == .upstream)
        bench.advance(by: .seconds(599))
        for mayBeOld in [true, false] {
            let answer = try store.ask(mayBeOld: mayBeOld)
            #expect((answer.status, answer.body, answer.source) == (status, body, .cache))
            #expect((answer.ageSeconds, answer.secondsLeft) == (599, 0))
        }
        #expect(bench.requests == 1)
        bench.advance(by: .seconds(1))
        #expect(try store.ask().source == .upstream)
        #expect(bench.folder.files().filter { $0.hasPrefix("lists/") } == [])
        bench.origin.behave(at: ListBench.path)
        bench.advance(by: .seconds(600))
        #expect(try store.ask().status == 200)
    }

    @Test func `other refusals are passed on and not kept`() throws {
        let bench = try ListBench(.status(403))
        let store = try bench.store()
        for count in 1...2 {
            #expect(try store.ask().status == 403)
            #expect(bench.requests == count)
        }
    }

    @Test func `a list that the API has no more does not stand in for an outage`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        bench.origin.misbehave(at: ListBench.path, .status(404))
        bench.advance(by: .seconds(3600))
        #expect(try store.ask().status == 404)
        bench.origin.misbehave(at: ListBench.path, .status(500))
        bench.advance(by: .seconds(600))
        #expect(throws: ListError.status(500)) { try store.ask() }
    }

    @Test(
        "a list that is none is not kept, and does not replace the last good one",
        arguments: [
            "", "null", "<html>", "{\"results\":[", "{\"results\":[]} x", "\u{FEFF}{}",
        ])
    func invalid(body: String) throws {
        let bench = try ListBench(.status(200, body: Array(body.utf8)))
        let store = try bench.store()
        #expect(throws: ListError.self) { try store.ask() }
        #expect(bench.folder.files().filter { $0.hasPrefix("lists/") } == [])
        bench.origin.behave(at: ListBench.path)
        bench.advance(by: .seconds(60))
        _ = try store.ask()
        bench.origin.misbehave(at: ListBench.path, .status(200, body: Array(body.utf8)))
        guard case .stale(.invalid) = try store.ask(mayBeOld: false).source else {
            return #expect(Bool(false))
        }
    }

    @Test(
        "odd films do not make a list unusable",
        arguments: [
            "{\"results\":[{\"id\":\"x\",\"poster_path\":7}]}", "{\"results\":{}}", "[]",
            "{\"id\":1,\"id\":2}", "{\"results\":[{\"poster_path\":\"/../../etc/passwd\"}]}",
        ])
    func passedOn(body: String) throws {
        let bench = try ListBench(.status(200, body: Array(body.utf8)))
        #expect(try bench.store().ask().body == Array(body.utf8))
    }

    @Test func `a closed store gives its last answers and no new ones`() throws {
        let bench = try ListBench()
        let store = try bench.store()
        _ = try store.ask()
        store.close()
        #expect(try store.ask().source == .cache)
        guard case .stale(.unreachable) = try store.ask(mayBeOld: false).source else {
            return #expect(Bool(false))
        }
    }

    @Test func `the key is in no file, no line and no error`() throws {
        let bench = try ListBench(.status(401), times: 1)
        let store = try bench.store()
        let error = #expect(throws: ListError.self) { try store.ask("api_key=\(Upstream.key)") }
        bench.advance(by: .seconds(3600))
        _ = try store.ask("api_key=\(Upstream.key)")
        var seen = bench.lines.withLock { $0 } + ["\(error as Any)", "\(store.healthIssue as Any)"]
        seen += bench.origin.log.map(\.target)
        var dumped = ""
        dump(store, to: &dumped)
        seen.append(dumped)
        for name in bench.folder.files() {
            let bytes = try FileContents.read("\(bench.folder.path)/\(name)")
            seen += [name, String(decoding: bytes, as: UTF8.self)]
        }
        #expect(seen.count > 5)
        for text in seen { #expect(!text.contains(Upstream.key)) }
    }
}

private enum FileContents {
    static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }
}
