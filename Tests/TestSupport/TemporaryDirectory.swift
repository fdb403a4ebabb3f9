import Foundation

/// A directory of a test's own, which goes when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path.
    package let path: String

    package init() {
        path = NSTemporaryDirectory() + "/onesheet-test-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch { fatalError("cannot make \(path): \(error)") }
    }

    deinit { _ = try? FileManager.default.removeItem(atPath: path) }

    /// Everything below it, relative, sorted.
    package func contents() -> [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
    }

    /// Everything below it that is no directory, relative, sorted.
    package func files() -> [String] {
        contents().filter { file in
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: "\(path)/\(file)", isDirectory: &isDirectory)
            return !exists || !isDirectory.boolValue
        }
    }
}
