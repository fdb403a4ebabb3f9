import Foundation
import PosterKit
import Testing
import TestSupport

@testable import FixtureOrigin

/// A stand-in upstream on the fixtures, which ends with its owner, and programs that ask it.
final class Upstream {
    let origin: Origin

    init(latency: Duration = .zero) throws {
        origin = try Origin(fixtures: Self.fixtures, latency: latency)
    }

    deinit { origin.stop() }

    /// A program with a cache of its own that has this upstream and its key.
    func program() -> BuiltProgram {
        var program = BuiltProgram()
        program.environment = [
            "ONESHEET_IMAGE_BASE": origin.imageBase, "ONESHEET_API_BASE": origin.apiBase,
            "ONESHEET_CACHE_DIR": program.cache, "AMODB_KEY": Self.key,
        ]
        return program
    }

    /// What the origin asks for.
    static let key = "fixture-key"

    /// The folder of the fixtures.
    static let fixtures: String = {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.path + "/fixtures"
    }()

    /// A fixture's bytes.
    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(fixtures)/\(name)")))
    }

    /// The poster paths of the first trending page, in its order.
    static func trendingPaths() throws -> [String] {
        let page = try bytes("api/trending/movie/week.json")
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(page)) as? [String: Any])
        let films = try #require(list["results"] as? [[String: Any]])
        return films.compactMap { $0["poster_path"] as? String }
    }
}

extension BuiltProgram.Outcome {
    /// Standard output as one JSON object.
    func json() throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any],
            "\(text) \(messages)")
    }

    /// Numbers of a JSON object on standard output.
    func numbers(_ names: String...) throws -> [Int] {
        let object = try json()
        return try names.map { try #require(object[$0] as? Int, "\($0) in \(text)") }
    }
}
