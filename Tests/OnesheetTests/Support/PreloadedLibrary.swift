import Foundation
import Testing
import TestSupport

/// A library of C for `LD_PRELOAD`, which makes something fail that a test cannot.
enum PreloadedLibrary {
    /// Compiles a source below `Tests`, and says where the library lies.
    static func compiled(
        _ source: String, in directory: TemporaryDirectory
    ) -> Result<String, any Error> {
        Result {
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../\(source)").standardizedFileURL
            let name = source.deletingPathExtension().lastPathComponent
            let target = "\(directory.path)/\(name).so"
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            compiler.arguments = [
                "cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", "-o", target,
                source.path, "-ldl",
            ]
            try compiler.run()
            compiler.waitUntilExit()
            try #require(compiler.terminationStatus == 0, "cannot compile \(source.path)")
            return target
        }
    }
}
