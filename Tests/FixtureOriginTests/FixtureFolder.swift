import Glibc

/// A small fixture folder in the temporary directory, removed with its owner.
final class FixtureFolder {
    static let poster: [UInt8] = [0xFF, 0xD8] + (0..<3000).map { UInt8($0 & 0xFF) } + [0xFF, 0xD9]

    let path: String
    private var made: [String] = []

    init() {
        var template = Array("/tmp/fixture-origin-XXXXXX\0".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
        let folders = [
            "posters", "posters/w342", "odd", "api", "api/trending", "api/trending/movie",
        ]
        for folder in folders { add(folder: folder) }
        add("posters/w342/abc.jpg", Self.poster)
        add("odd/grey.png", Array("\u{89}PNG".utf8))
        add("api/trending/movie/week.json", Array("{\"page\":1}".utf8))
        add("api/trending/movie/week.ru-RU.json", Array("{\"page\":1,\"ru\":1}".utf8))
        add("api/trending/movie/week.page2.json", Array("{\"page\":2}".utf8))
        add("secret.txt", Array("secret".utf8))
    }

    deinit {
        for path in made.reversed() { remove(path) }
        rmdir(path)
    }

    private func add(folder: String) {
        mkdir("\(path)/\(folder)", 0o755)
        made.append("\(path)/\(folder)")
    }

    private func add(_ name: String, _ bytes: [UInt8]) {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
        made.append("\(path)/\(name)")
    }
}
