import Foundation

/// A directory of a test's own, which goes when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "/onesheet-test-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch { fatalError("cannot make \(path): \(error)") }
    }

    deinit { _ = try? FileManager.default.removeItem(atPath: path) }

    /// Every file below it that is no directory, relative, sorted.
    func files() -> [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? [])
            .filter { file in
                var isDirectory: ObjCBool = false
                let exists = FileManager.default.fileExists(
                    atPath: "\(path)/\(file)", isDirectory: &isDirectory)
                return !exists || !isDirectory.boolValue
            }
            .sorted()
    }
}
