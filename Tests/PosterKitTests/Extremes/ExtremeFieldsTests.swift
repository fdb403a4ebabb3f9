import Amodb
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterFetch
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists
@testable import PosterObjectStore

/// What other machines say, at its most extreme. A trap would end the whole run.
@Suite struct ExtremeFieldsTests {
    private let now = Timestamp(seconds: 1_796_000_000)
    private var moments: [Timestamp] {
        [now] + Extremes.integers.map { Timestamp(nanoseconds: $0) }
    }

    @Test(
        "a date is read or refused",
        arguments: [
            "Sun, # Nov 1994 08:49:37 GMT", "Sun, 06 Nov # 08:49:37 GMT",
            "Sun, 06 Nov 1994 #:#:# GMT", "Sunday, #-Nov-# #:49:37 GMT", "Sun Nov # #:49:# #", "#",
        ])
    func dates(template: String) {
        for text in Extremes.filled(template) {
            for now in [now, Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
                guard let date = HTTPDate.parse(text, now: now) else { continue }
                _ = (HTTPDate.format(date), date - now, now - date)
            }
        }
    }

    @Test func `a pause is between a second and an hour, whatever was asked for`() {
        let values =
            Extremes.texts + Extremes.filled("#, #")
            + Extremes.filled("Sun, 06 Nov # 08:49:37 GMT")
        for value in values {
            for now in [now, Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
                let pause = RetryAfter([value], now: now)
                #expect((1...3600).contains(pause.seconds), "\(value)")
            }
        }
        for seconds in Extremes.integers {
            var pause = HostPause()
            _ = pause.begin(.seconds(seconds), because: .init(text: "", isAsked: true), now: .now)
            _ = Duration.seconds(seconds).wholeSeconds
        }
    }

    @Test(
        "an answer's head is read or refused",
        arguments: [
            ["HTTP/1.1 # OK", ""], ["HTTP/# 200 OK", ""],
            ["HTTP/1.1 200 OK", "Content-Length: #", ""],
            ["HTTP/1.1 200 OK", "Content-Length: #, #", ""],
            ["HTTP/1.1 200 OK", "Transfer-Encoding: #", "Content-Length: 1", ""],
        ])
    func heads(template: [String]) {
        for text in Extremes.filled(template.joined(separator: "\r\n")) {
            var head = ResponseHead(limits: TransferLimits())
            do {
                for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
                    try Array("\(line)\r\n".utf8).withUnsafeBytes { try head.take($0) }
                }
                #expect(head.contentLength ?? 0 >= 0)
            } catch { #expect((error as? FetchError)?.reason == .framing) }
        }
    }

    @Test func `no memory is reserved for a length that is announced`() throws {
        let upstream = try Upstream(.contentLength(["999999999999999999"]))
        var request = upstream.request(maxBytes: .max)
        request.method = .head
        #expect(try upstream.fetch(request).values(of: "content-length") == ["999999999999999999"])
        // With a body, of which less comes.
        let error = #expect(throws: FetchError.self) {
            try upstream.fetch(upstream.request(maxBytes: .max))
        }
        #expect(error?.reason == .shortBody)
    }

    @Test func `a tag or a date that is of no use is not sent back`() {
        let kept = ["\"5d\"", "Sun, 06 Nov 1994 08:49:37 GMT"]
        let long = "\"" + String(repeating: "e", count: 60_000) + "\""
        func validators(_ tag: String, _ date: String) -> Validators {
            FetchResponse(
                status: 200, headers: [("etag", tag), ("last-modified", date)], body: []
            ).validators(now: now)
        }
        #expect(
            validators(kept[0], kept[1]) == Validators(entityTag: kept[0], lastModified: kept[1]))
        #expect(validators(long, kept[1]).entityTag == nil)
        for date in [
            "Fri, 11 Apr 2262 23:47:16 GMT", "Fri, 11 Apr 2263 00:00:00 GMT",
            "Sun, 06 Nov 9999 08:49:37 GMT", "yesterday", "",
        ] {
            #expect(validators(kept[0], date) == Validators(entityTag: kept[0]), "\(date)")
        }
        for text in Extremes.filled("Sun, # Nov # 08:49:37 GMT") { _ = validators(text, text) }
    }

    @Test func `a pause that another process wrote is an hour at most`() throws {
        let boot = PauseRecord.Boot(id: "boot", nanoseconds: 1)
        let written = PauseRecord(
            .seconds(60), because: .init(text: "why", isAsked: true), now: now, boot: boot)
        let lines = written.description.split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        let numbers = lines.indices.filter { Int64(lines[$0]) != nil }
        #expect(numbers.count >= 4)
        var read = 0
        for places in numbers.map({ [$0] }) + [numbers, Array(lines.indices)] {
            var template = lines
            for place in places { template[place] = "#" }
            for text in Extremes.filled(template.joined(separator: "\n")) {
                guard let record = PauseRecord(text) else { continue }
                read += 1
                for moment in [now, Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
                    for id in ["boot", "other"] {
                        let boot = PauseRecord.Boot(id: id, nanoseconds: moment.nanoseconds)
                        let left = record.left(now: moment, boot: boot) ?? .zero
                        #expect(left <= .seconds(3600))
                    }
                }
            }
        }
        #expect(read > 0)
    }

    @Test func `a slot that another process wrote rests no longer than its rest`() {
        let moments = Extremes.integers
        for stamp in moments {
            var image = SlotImage(slots: 1)
            image.visitorsWaitUntil = stamp
            for word in moments {
                let bytes = withUnsafeBytes(of: (word, stamp)) { Array($0) }
                let record = SlotRecord(bytes, at: 0)
                for now in [0, 1, Int64.max] {
                    if case .resting(let left) = record.standing(now: now, rest: .seconds(1)) {
                        #expect(left <= .seconds(1))
                    }
                }
                let permit = BudgetStamp((bytes + bytes)[..<BudgetStamp.length])
                for moment in [now, Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
                    let now = BudgetStamp(boot: permit.boot, sinceBoot: 1, wall: moment)
                    #expect(permit.left(now: now) < RequestBudget.window * 2)
                }
                image.replace(0, with: bytes + bytes + bytes + bytes)
                _ = (image.record(of: 0), image.lane(of: 0).offset)
            }
        }
    }

    @Test func `an object's metadata are an entry that can be kept, or none`() throws {
        let key = EntryKey.poster(try PosterPath("/AbCdEf.jpg"), .w342)
        let body = CacheFixture.jpeg()
        let cache = CacheFixture()
        let disk = try cache.open()
        let good = ObjectMetadata.fields(
            key,
            CacheEntry(
                picture: Picture(bytes: body, format: .jpeg, made: now), validated: now,
                validators: Validators(entityTag: "\"5d\"")))
        var kept = 0
        for name in ["version", "length", "fetched", "validated", "etag", "last-modified"] {
            for text in Extremes.texts {
                let fields =
                    good.filter { !$0.name.hasSuffix("-\(name)") }
                    + [("x-amz-meta-onesheet-\(name)", text)]
                do throws(ObjectMetadata.Fault) {
                    let response = FetchResponse(status: 200, headers: fields, body: body)
                    let entry = try ObjectMetadata.entry(key, in: response, now: now)
                    #expect(entry.validated >= Timestamp(seconds: 0))
                    for moment in moments { _ = entry.ageSeconds(now: moment) }
                    if name == "validated" { try? disk.write(key, entry) }
                    kept += 1
                } catch { continue }
            }
        }
        #expect(kept > 0)
    }

    @Test func `an entry of any time is written, read and judged`() throws {
        let cache = CacheFixture()
        let disk = try cache.open()
        let key = try CacheFixture.poster()
        for moment in moments {
            let entry = CacheEntry(
                picture: Picture(bytes: CacheFixture.jpeg(), format: .jpeg, made: moment),
                validated: moment)
            try disk.write(key, entry)
            let read = try #require(disk.read(key).entry)
            #expect(read.picture.made == moment)
            for now in [now, Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)] {
                for maxAge in [Duration.zero, .seconds(3_144_960_000), .seconds(Int64.max)] {
                    _ = read.freshness(now: now, maxAge: maxAge)
                }
                #expect(read.ageSeconds(now: now) >= 0)
                disk.noteUse(of: key, now: now)
            }
        }
    }

    @Test func `a bucket's rule is of so many days, or of none that count`() {
        let template =
            "<Rule><Status>Enabled</Status><Prefix></Prefix><Expiration><Days>#</Days></Expiration></Rule>"
        for text in Extremes.filled(template) {
            for rule in LifecycleRule.all(in: text) {
                #expect(rule.days.map { (1...400_000).contains($0) } ?? true)
                #expect(rule.days.map { .seconds($0 * 86_400) > Duration.zero } ?? true)
            }
        }
    }

    @Test func `the words of a store and of a node are read or refused`() {
        for text in Extremes.texts + Extremes.filled("onesheet; hit; age=#; fwd-status=#") {
            _ = (NodeStatus([text]), Tint(text), Tint("#" + text))
            let answer = FetchResponse(
                status: 503, headers: [("retry-after", text), ("date", text)],
                body: Array("<Error><Code>\(text)</Code></Error>".utf8))
            _ = StoreAnswer.clocks(answer, now)
            #expect(throws: StoreError.self) { try StoreAnswer.judge(answer, now: now) }
            _ = try? ObjectStoreLocation("s3://\(text)/\(text)")
            _ = try? ObjectStoreCredentials(file: "aws_access_key_id = \(text)")
        }
        for seconds in Extremes.integers where seconds > .min {
            _ = StoreCheck.judge(.seconds(seconds))
        }
    }
}
