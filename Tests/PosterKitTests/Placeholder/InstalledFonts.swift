import Foundation

/// Which letters the fonts of this machine have, as fontconfig's own program tells.
enum InstalledFonts {
    private static let program = "/usr/bin/fc-list"

    /// Whether one font has all letters of a title. Without the program, only of one in ASCII.
    static func cover(_ title: String) -> Bool {
        let letters = title.unicodeScalars.filter { $0 != " " }
        guard FileManager.default.isExecutableFile(atPath: program) else {
            return letters.allSatisfy(\.isASCII)
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [
            ":charset=" + letters.map { String($0.value, radix: 16) }.joined(separator: " "),
            "file",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            let found = try output.fileHandleForReading.readToEnd() ?? Data()
            return !found.isEmpty
        } catch { return false }
    }
}
