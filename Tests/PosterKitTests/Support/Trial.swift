import Foundation

/// Small pictures that earlier versions showed wrong, which lie beside the project or where
/// `ONESHEET_TRIAL` says.
enum Trial {
    /// The folder; `nil` where it is not there.
    static let folder: String? = {
        let beside = Fixtures.folder + "/../../shared/trial"
        let folder = ProcessInfo.processInfo.environment["ONESHEET_TRIAL"] ?? beside
        return FileManager.default.fileExists(atPath: folder + "/README.md") ? folder : nil
    }()

    /// The names of the JPEG and PNG files below the folder, sorted; none where it is not there.
    static func files(in kind: String) throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(kind)")
            .filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".png") }
            .sorted().map { "\(kind)/\($0)" }
    }

    /// A file's bytes, by its path below the folder.
    static func bytes(_ file: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: "\(folder ?? "")/\(file)")))
    }
}

/// Public image files, which lie beside the project or where `ONESHEET_CORPUS` says.
enum Corpus {
    /// The folder; `nil` where it is not there.
    static let folder: String? = {
        let beside = Fixtures.folder + "/../../shared/corpus"
        let folder = ProcessInfo.processInfo.environment["ONESHEET_CORPUS"] ?? beside
        return FileManager.default.fileExists(atPath: folder + "/pillow.tsv") ? folder : nil
    }()
}
