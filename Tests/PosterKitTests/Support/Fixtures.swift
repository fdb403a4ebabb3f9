import Amodb
import Foundation
import Testing

/// The pictures and lists below `fixtures/`.
enum Fixtures {
    /// The folder, found from this file's place in the checkout.
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "fixtures").path

    /// The paths of all posters, sorted.
    static let posters: [PosterPath] = {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder + "/posters/w500")
                .sorted().map { try PosterPath("/" + $0) }
        } catch { fatalError("no fixtures in \(folder): \(error)") }
    }()

    /// A file's bytes, by its path below `fixtures/`.
    static func bytes(_ file: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: "\(folder)/\(file)")))
    }

    /// A poster's bytes at a size, as upstream sends them.
    static func bytes(_ path: PosterPath, _ size: PosterSize) throws -> [UInt8] {
        try bytes("posters/\(size.rawValue)/\(path.fileName)")
    }
}
