import Amodb
import PosterBase
import TestSupport

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterHTTP
@testable import PosterKit
@testable import PosterLists
@testable import PosterServer

/// A whole service on loopback: an origin that can misbehave, a store with an empty cache, a
/// server on a port of the system's choice.
final class TestSite: Sendable {
    let origin: Origin
    let directory = TemporaryDirectory()
    let store: PosterStore
    let lists: ListStore
    let server: Server

    init(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        store changeStore: (inout Configuration) -> Void = { _ in }, log: Log = .silent
    ) throws {
        origin = try Origin(fixtures: Self.fixtures)
        var configuration = Configuration(cacheDirectory: directory.path + "/cache")
        configuration.imageBase = try BaseURL(origin.imageBase)
        configuration.apiBase = try BaseURL(origin.apiBase)
        configuration.apiKey = Secret("fixture-key")
        changeStore(&configuration)
        // A machine that is busy with other tests is no slow disk.
        store = try PosterStore(
            configuration, log: log, clock: .system, pace: DiskLatency(slow: .seconds(60)))
        lists = try ListStore(configuration, log: log)
        var serving = ServerConfiguration()
        serving.listen = ListenAddress(host: "127.0.0.1", port: 0)
        change(&serving)
        server = try Server(serving, store: store, lists: lists, log: log)
    }

    deinit {
        server.stop(grace: .zero)
        lists.close()
        store.close()
        origin.stop()
    }

    /// The folder that lies beside the sources.
    static let fixtures =
        #filePath.split(separator: "/").dropLast(4)
        .reduce("") { "\($0)/\($1)" } + "/fixtures"

    /// Sends a request as it is on a connection of its own, and reads to the end.
    func exchange(_ request: [UInt8]) -> Response? {
        let client = RawClient(port: server.port)
        client.send(request)
        return Response(client.receiveAll())
    }

    func exchange(_ request: String) -> Response? { exchange(Array(request.utf8)) }

    /// Asks for a target with further header lines.
    func get(_ target: String, method: String = "GET", _ lines: String...) throws -> Response {
        let more = lines.map { $0 + "\r\n" }.joined()
        let request = "\(method) \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(more)\r\n"
        guard let response = exchange(request) else { throw NoAnswer(target: target) }
        return response
    }

    struct NoAnswer: Error {
        let target: String
    }
}
