import Amodb
import Foundation
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterHTTP
@testable import PosterKit
@testable import PosterServer

/// Strangers ask for large placeholders, boxes never made before and names never seen, as much as
/// they can: every image is answered in time, and clients that ask for what is known get it.
@Suite struct FloodTests {
    private static let box = "/thumb/120x180"

    /// The posters that the fixtures have at every size.
    private static let posters: [String] = {
        let folder = TestSite.fixtures + "/posters/w342"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
            .map { "/" + $0 }
    }()

    private let gate = Monitor(false)

    private func pass() { _ = gate.wait { $0 ? true : nil } }

    private func openGate() {
        gate.withLock { $0 = true }
        gate.notifyAll()
    }

    /// Fills what strangers may take of the threads, and all their queues.
    private func fill(_ store: PosterStore) {
        let classes = [JobClass.large, .newBox, .newName]
        // A thread that takes a job leaves a place in its queue: until none takes one any more.
        var isFull = false
        while !isFull {
            isFull =
                classes.reduce(0) { $0 + store.pixels.load(of: $1).running } == 1
                && store.transfers.load(of: .newName).running == 4
            for jobClass in classes {
                while store.pixels.submit(jobClass, { _ in self.pass() }) {}
            }
            while store.transfers.submit(.newName, { _ in self.pass() }) {}
        }
    }

    @Test func `with all that strangers may have taken, what is known is made at once`() throws {
        let site = try TestSite(
            { $0.deadline = .seconds(60) }, store: { $0.pixelThreads = 2 })
        defer { openGate() }
        // One poster is cached, and its box was made before.
        let cached = Self.posters[0]
        #expect(try site.get(Self.box + cached).status == 200)
        // A list names others.
        let list = try site.get("/3/trending/movie/week")
        let named = try #require(
            FilmList(json: list.body).films.compactMap(\.posterPath).first { $0.count > 1 })
        let path = try PosterPath(named)
        while site.store.titles.title(of: path) == nil { site.store.readNewLists() }
        fill(site.store)

        let other = try site.get("/t/p/w500\(cached)")
        #expect(other.header("Cache-Status") == "onesheet; fwd=miss; fwd-status=200; stored")
        let poster = try site.get("/t/p/w342\(named)")
        #expect(poster.header("Cache-Status") == "onesheet; fwd=miss; fwd-status=200; stored")
        let thumbnail = try site.get("\(Self.box)\(named)")
        #expect(thumbnail.header("Cache-Status")?.contains("placeholder") == false)
        let standIn = try site.get("\(Self.box)/null?title=Stalker")
        #expect(standIn.header("Cache-Status") == "onesheet; detail=placeholder-missing")
        let asked = try site.get("/placeholder/342x513?title=Solaris")
        #expect(asked.header("Cache-Status") == "onesheet; detail=placeholder-missing")

        // What strangers ask for is answered at once, too, with what is drawn already.
        for target in [
            "/placeholder/1000x1500?dpr=2&title=new", "/thumb/121x181\(cached)",
            "/t/p/w342/neverSeen.jpg", "/thumb/1000x1500\(cached)?dpr=2",
        ] {
            let answer = try site.get(target)
            #expect(answer.status == 200)
            #expect(
                answer.header("Cache-Status")?.hasSuffix("placeholder-unavailable") == true,
                "\(target): \(answer.header("Cache-Status") ?? "")")
            #expect(answer.header("Cache-Control") == "public, max-age=60")
        }
    }

    @Test func `a deadline ends every wait with an image, whatever the work is doing`() throws {
        let site = try TestSite(
            { $0.deadline = .milliseconds(300) }, store: { $0.pixelThreads = 2 })
        defer { openGate() }
        let cached = Self.posters[0]
        #expect(try site.get("/t/p/w342\(cached)").status == 200)
        // Every thread is taken, and the queues have room: nothing is refused, nothing is done.
        while site.store.load.picturesRunning + site.store.load.picturesWaiting > 0 {}
        for _ in 0..<2 { #expect(site.store.pixels.submit(.live) { _ in self.pass() }) }
        while site.store.load.picturesRunning < 2 {}
        for target in [
            "/placeholder/1000x1500?dpr=2&title=a", "/placeholder/60x90?title=b",
            "/thumb/60x90/null",
            "/thumb/60x90\(cached)", "/t/p/w342\(Self.posters[1])", "/t/p/w342/neverSeen.jpg",
        ] {
            let answer = try site.get(target)
            #expect(answer.status == 200, "\(target)")
            #expect(
                answer.header("Cache-Status")?.hasSuffix("placeholder-unavailable") == true,
                "\(target)")
        }
        openGate()
        while site.store.load.picturesRunning + site.store.load.picturesWaiting > 0 {}
        // The work went on, and filled the cache.
        while try site.get("/t/p/w342\(Self.posters[1])").header("Cache-Status")
            != "onesheet; hit"
        {}
    }

    @Test func `in a live flood no image is refused and honest clients get their pictures`() throws
    {
        let site = try TestSite({ $0.deadline = .seconds(10) }, store: { $0.pixelThreads = 2 })
        for path in Self.posters.prefix(20) {
            #expect(try site.get("/t/p/w342\(path)").status == 200)
        }
        #expect(try site.get(Self.box + Self.posters[0]).status == 200)
        site.origin.misbehave(at: "/t/p/w500/*", .status(404))

        let isOver = Monitor(false)
        let (answers, bad) = (Monitor(0), Monitor<[String]>([]))
        let strangers = (0..<16).map { stranger in
            PosixThread(name: "stranger") {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    let name = "s\(stranger)n\(number)"
                    let (width, height) = (100 + stranger, 101 + number)
                    let target =
                        switch number % 5 {
                        case 0: "/placeholder/1000x1500?dpr=2&title=\(name)&format=png"
                        case 1: "/placeholder/1000x1500?dpr=2&title=\(name)"
                        case 2: "/thumb/\(width)x\(height)\(Self.posters[number % 20])"
                        case 3: "/t/p/w500/\(name).jpg"
                        default: "/placeholder/120x180?title=\(name)&format=webp"
                        }
                    let answer = try? site.get(target)
                    let isImage = answer?.header("Content-Type")?.hasPrefix("image/") == true
                    if answer?.status != 200 || !isImage {
                        bad.withLock { $0.append("\(target): \(answer?.status ?? 0)") }
                    }
                    answers.withLock { $0 += 1 }
                    answers.notifyAll()
                }
            }
        }
        // The flood is there.
        answers.wait { $0 > 32 ? () : nil }
        for path in Self.posters.prefix(20) {
            let thumbnail = try site.get(Self.box + path)
            #expect(thumbnail.header("Cache-Status")?.hasPrefix("onesheet; hit") == true)
            let poster = try site.get("/t/p/w342\(path)")
            #expect(poster.header("Cache-Status") == "onesheet; hit")
            let standIn = try site.get("\(Self.box)/null?title=\(path.dropFirst())")
            #expect(standIn.header("Cache-Status") == "onesheet; detail=placeholder-missing")
        }
        isOver.withLock { $0 = true }
        for stranger in strangers { stranger.join() }
        #expect(bad.withLock { $0 } == [])
    }
}
