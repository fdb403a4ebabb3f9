import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterImages
@testable import PosterKit

/// Two servers with clients that never rest, and between them prefetches, prunes, and a hand that
/// makes entries look old and pictures change upstream. Every body is compared with what upstream
/// ever had under its path.
final class Soak {
    /// What went wrong, the first of it.
    var faults: [String] { shared.withLock { $0.faults } }
    /// Entries that prunes deleted.
    private(set) var pruned = 0

    private struct Shared {
        var faults: [String] = []
        var served = 0
        var isOver = false
    }

    private let shared = Monitor(Shared())
    private let upstream: Upstream
    private let program: BuiltProgram
    private let servers: [RunningServer]
    private let clients: [Elsewhere<Void>]
    /// Poster paths whose entries nobody ages: once fetched, they must stay.
    private let steady: [String]
    private let changing: [Film]
    private let steadyFiles: [String: FileStatus]

    /// A poster path with the two pictures that upstream has for it by turns.
    private struct Film {
        let path: String
        let versions: [[UInt8]]
    }

    private static let mostFaults = 20
    private static let thumbnail = "60x90"

    init() throws {
        upstream = try Upstream()
        let program = upstream.program()
        self.program = program
        let paths = Array(Set(try Upstream.trendingPaths())).sorted()
        steady = Array(paths.prefix(6))
        let rest = paths.dropFirst(6)
        changing = try zip(rest, rest.dropFirst() + rest.prefix(1)).map { path, other in
            Film(path: path, versions: try [path, other].map { try Self.picture($0) })
        }
        for film in changing { upstream.origin.put("/t/p/w185\(film.path)", film.versions[0]) }
        try #require(try Self.prefetch(program, paths).wait().status == 0)
        steadyFiles = try Self.statuses(of: steady, in: program)
        servers = try (0..<2).map { _ in
            try RunningServer(program, "--rate", "0", "--deadline", "60")
        }
        let targets = try Self.targets(steady, changing)
        let shared = shared
        clients = servers.flatMap { server in
            (0..<2).map { number in
                Elsewhere { Self.ask(server.port, targets, from: number, shared) }
            }
        }
    }

    deinit { endClients() }

    /// Ages entries, changes pictures, and lets a prefetch and a prune meet over them.
    func round(_ number: Int) throws {
        for (index, film) in changing.enumerated() where (index + number) % 3 != 0 {
            age(film.path)
            guard (index + number) % 2 == 0 else { continue }
            upstream.origin.put(
                "/t/p/w185\(film.path)", film.versions[(number / 2) % film.versions.count])
        }
        let prune = try program.start(["prune", "--json"])
        let prefetch = try Self.prefetch(program, steady + changing.map(\.path))
        let (pruning, fetching) = (try prune.wait(), try prefetch.wait())
        if fetching.status != 0 { note("prefetch: \(fetching.status) \(fetching.messages)") }
        guard pruning.status == 0 else {
            return note("prune: \(pruning.status) \(pruning.messages)")
        }
        pruned += try pruning.numbers("deleted")[0]
    }

    /// Ends all, looks at what is left, and gives the number of answers.
    func finish() throws -> Int {
        endClients()
        for client in clients { try client.wait() }
        for server in servers where try server.stop(SIGTERM) != 0 {
            note("a server ended badly: \(server.messages())")
        }
        let verified = try program.run("verify")
        if verified.status != 0 { note("verify: \(verified.text)\(verified.messages)") }
        for path in steady where upstream.origin.requests(to: "/t/p/w185\(path)") != 1 {
            note("\(path) was lost while fresh, and fetched anew")
        }
        for (file, before) in steadyFiles {
            let now = try Self.status(file)
            if now?.identity != before.identity || now?.modified != before.modified {
                note("\(file) was lost while fresh")
            }
        }
        return shared.withLock { $0.served }
    }

    private func endClients() { shared.withLock { $0.isOver = true } }

    private func note(_ fault: String) { Self.note(fault, in: shared) }

    private static func note(_ fault: String, in shared: Monitor<Shared>) {
        shared.withLock { if $0.faults.count < mostFaults { $0.faults.append(fault) } }
    }

    /// Asks for one thing after the other until it is over.
    private static func ask(
        _ port: UInt16, _ targets: [(path: String, bodies: Set<[UInt8]>)], from start: Int,
        _ shared: Monitor<Shared>
    ) {
        var step = start
        while !shared.withLock({ $0.isOver }) {
            let (path, bodies) = targets[(step * 5) % targets.count]
            step += 1
            do {
                let answer = try fetch(path, port: port)
                if answer.status != 200 { note("\(path): \(answer.status)", in: shared) }
                if !bodies.contains(answer.body) { note("\(path): wrong body", in: shared) }
                shared.withLock { $0.served += 1 }
            } catch { note("\(path): \(error)", in: shared) }
        }
    }

    /// What clients ask for, and the bodies that are right.
    private static func targets(
        _ steady: [String], _ changing: [Film]
    ) throws -> [(path: String, bodies: Set<[UInt8]>)] {
        let pool = PixelPool(threads: 1)
        defer { pool.stop() }
        let variant = try ThumbnailVariant(width: 60, height: 90)
        let films = try steady.map { Film(path: $0, versions: [try picture($0)]) } + changing
        return try films.flatMap { film in
            let thumbnails = try film.versions.flatMap {
                try pool.thumbnails(of: $0, as: [variant]).thumbnails
            }
            return [
                ("/t/p/w185\(film.path)?fallback=error", Set(film.versions)),
                ("/thumb/\(thumbnail)\(film.path)?fallback=error", Set(thumbnails)),
            ]
        }
    }

    private static func picture(_ path: String) throws -> [UInt8] {
        try Upstream.bytes("posters/w185\(path)")
    }

    private static func prefetch(
        _ program: BuiltProgram, _ paths: [String]
    ) throws -> RunningProgram {
        try program.start(
            [
                "prefetch", "--quiet", "--from", "-", "--sizes", "w185", "--thumbs", thumbnail,
                "--rate", "0",
            ], input: paths.joined(separator: "\n") + "\n")
    }

    /// Makes a poster's entries a month and a day old, where they are.
    private func age(_ path: String) {
        let then = timespec(tv_sec: time(nil) - 31 * 86_400, tv_nsec: 0)
        for file in Self.files(of: path, in: program) {
            utimensat(AT_FDCWD, file, [then, then], AT_SYMLINK_NOFOLLOW)
        }
    }

    private static func files(of path: String, in program: BuiltProgram) -> [String] {
        let name = path.dropFirst()
        return ["posters/w185", "thumbs/\(thumbnail)-cover-q82.jpeg"].map {
            "\(program.cache)/\($0)/\(name.prefix(2))/\(name)"
        }
    }

    private static func statuses(
        of paths: [String], in program: BuiltProgram
    ) throws -> [String: FileStatus] {
        var statuses: [String: FileStatus] = [:]
        for file in paths.flatMap({ files(of: $0, in: program) }) {
            let found: FileStatus = try #require(try status(file), "\(file)")
            statuses[file] = found
        }
        return statuses
    }

    private static func status(_ file: String) throws -> FileStatus? {
        try PosterKit.Directory.status(at: file)
    }
}
