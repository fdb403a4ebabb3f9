import Foundation
import Testing

/// Debian's curl, for what takes TLS or HTTP/2.
struct Curl {
    struct Answer {
        let status: Int
        /// As curl writes it: `2`, `1.1`.
        let version: String
        /// Status line and header lines.
        let head: String
        let body: [UInt8]

        /// The first header of a name, whatever its case.
        func header(_ name: String) -> String? {
            head.split(whereSeparator: \.isNewline)
                .first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    static let program = "/usr/bin/curl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// In PEM.
    let trusted: String

    /// Asks, and reads the answer to its end; tries for some seconds to connect.
    func get(_ address: String, _ options: String...) throws -> Answer {
        let (_, output, text) = try run(
            Self.program,
            [
                "-sS", "-i", "--http2", "--cacert", trusted, "--noproxy", "*", "--max-time", "60",
                "--retry", "100", "--retry-delay", "0", "--retry-max-time", "20",
                "--retry-connrefused", "--path-as-is",
                "-w", "%{stderr}%{http_code} %{http_version}",
            ] + options + [address])
        let words = text.split(separator: " ").suffix(2)
        let status = try #require(words.first.flatMap { Int($0.suffix(3)) }, "\(text.suffix(400))")
        let bytes = Data(output)
        let end = bytes.range(of: Data("\r\n\r\n".utf8))
        return Answer(
            status: status, version: String(words.last ?? ""),
            head: String(decoding: bytes[..<(end?.lowerBound ?? bytes.endIndex)], as: UTF8.self),
            body: Array(bytes[(end?.upperBound ?? bytes.endIndex)...]))
    }
}
