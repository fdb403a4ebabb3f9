import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// Titles, as a server that looks at a cache directory knows them, while other processes put
/// lists in.
@Suite struct PosterTitlesTests {
    private let folder = TemporaryDirectory()
    private let now = Timestamp.now()
    private let poster: PosterPath
    private let lists: ListCache
    private let titles: PosterTitles

    init() throws {
        poster = try PosterPath("/a.jpg")
        lists = try ListCache(directory: folder.path, log: .silent, metrics: CacheMetrics())
        let now = now
        titles = PosterTitles(
            try ListCache(directory: folder.path, log: .silent, metrics: CacheMetrics()),
            clock: TimeSource(now: { now }, instant: { .now }))
    }

    private func put(
        _ request: String, _ title: String, age: Int, poster: String = "/a.jpg",
        isNamed: Bool = true
    ) throws {
        let json = #"{"results":[{"id":1,"title":"\#(title)","poster_path":"\#(poster)"}]}"#
        let request = try ListRequest(list: request)
        try lists.write(
            request.description,
            ListCache.Kept(
                body: Array(json.utf8), contentType: nil, fetched: now - .seconds(age)))
        if isNamed { lists.named.add(request) }
    }

    private func title() -> String? {
        if titles.isBehind { titles.catchUp() }
        return titles.title(of: poster)
    }

    @Test func `the newest list decides, in whatever order they are read`() throws {
        for _ in 0..<20 {
            let ages = (1...6).map { $0 * 100 }.shuffled()
            var read: [Int] = []
            let poster = "/p\(UInt32.random(in: 0 ... .max)).jpg"
            for age in ages {
                try put("l/\(age)/\(poster.dropFirst())", "T\(age)", age: age, poster: poster)
                read.append(age)
                if Bool.random() {
                    titles.catchUp()
                    let expected = read.min().map { "T\($0)" }
                    #expect(titles.title(of: try PosterPath(poster)) == expected)
                }
            }
            titles.catchUp()
            #expect(titles.title(of: try PosterPath(poster)) == "T100")
        }
    }

    @Test func `a list that comes again replaces what it said`() throws {
        try put("l", "Old", age: 100)
        #expect(title() == "Old")
        try put("l", "New", age: 50)
        #expect(title() == "New")
    }

    @Test func `a list of the future is one of now`() throws {
        try put("l", "Future", age: -1_000_000)
        #expect(title() == "Future")
        let later = PosterTitles(
            lists, clock: TimeSource(now: { [now] in now + .seconds(10) }, instant: { .now }))
        try put("m", "Later", age: -10)
        later.catchUp()
        #expect(later.title(of: poster) != nil)
    }

    @Test func `lists that are not named are not looked at, however many`() throws {
        try put("l", "T", age: 100)
        #expect(title() == "T")
        for page in 0..<200 { try put("s?page=\(page)", "S", age: 0, isNamed: false) }
        #expect(!titles.isBehind)
        #expect(title() == "T")
    }

    @Test func `the file of names stays small, and films push no lists out of it`() throws {
        try put("trending/movie/week", "T", age: 100)
        let film = String(repeating: "x", count: 100)
        for number in 0..<3000 {
            lists.named.add(try ListRequest(path: "/movie/\(number)", query: "a=\(film)"))
            let size = try Directory.status(at: "\(folder.path)/hosts/\(TitleLists.name)")?.size
            #expect(try #require(size) <= TitleLists.maxBytes)
        }
        let names = lists.named.requests(since: nil)
        #expect(names.contains("/trending/movie/week"))
        #expect(names.last == "/movie/2999?a=\(film)")
        let later = PosterTitles(lists, clock: .system)
        later.catchUp()
        #expect(later.title(of: poster) == "T")
    }

    @Test func `a damaged file of names hides nothing that comes later, and traps nothing`() throws
    {
        let file = URL(filePath: "\(folder.path)/hosts/\(TitleLists.name)")
        for (index, length) in [0, 1, 100, 70_000, 300_000].enumerated() {
            let noise = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
            try Data(noise).write(to: file)
            titles.catchUp()
            try put("l/\(length)", "T\(length)", age: 100 - index)
            // The first line may be joined to the noise before it.
            try put("l/\(length)", "T\(length)", age: 100 - index)
            #expect(title() == "T\(length)")
        }
        try FileManager.default.removeItem(at: file)
        #expect(!titles.isBehind)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try put("m", "M", age: 0)
        #expect(title() != "M")
    }

    @Test func `the file of names is no foreign file of the cache`() throws {
        try put("l", "T", age: 1)
        var walk = CacheWalk(try Directory(folder.path))
        walk.run { _ in }
        #expect(walk.foreign == 0)
        #expect(walk.failures.isEmpty)
    }

    @Test func `blank titles and posters that are none name nothing`() throws {
        try put("l", " ", age: 1)
        try put("m", "M", age: 1, poster: "/../a.jpg")
        #expect(title() == nil)
    }
}
