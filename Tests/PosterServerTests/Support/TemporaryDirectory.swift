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

    /// Everything below it, relative, sorted.
    func contents() -> [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
    }
}
