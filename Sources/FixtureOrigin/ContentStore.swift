import Glibc

/// What the origin has to give: the fixture folder, and what was put over it at run time.
final class ContentStore: Sendable {
    /// Bytes with the headers they are served under.
    struct Item: Sendable {
        var bytes: [UInt8]
        var headers: [Header]
    }

    private let folder: String?
    /// By request path; nil where something was taken away.
    private let changes = Locked<[String: Item?]>([:])

    init(folder: String?) { self.folder = folder }

    /// Serves these bytes at a request path from now on. `headers` win over the usual ones.
    func put(_ bytes: [UInt8], at path: String, headers: [Header]) {
        let usual: [Header] = [
            ("Content-Type", contentType(of: path)),
            ("ETag", "\"\(String(fingerprint(bytes), radix: 16))\""),
            ("Last-Modified", HTTPDate.now.text),
        ]
        let item = Item(
            bytes: bytes,
            headers: usual.filter { headers.first(named: $0.name) == nil } + headers)
        changes.change { $0[path] = .some(item) }
    }

    /// Makes a request path empty, also where a fixture lies.
    func remove(at path: String) {
        changes.change { $0[path] = .some(nil) }
    }

    /// Forgets everything that was put or removed.
    func restore() {
        changes.change { $0 = [:] }
    }

    /// What was put at a request path: `.some(nil)` for what was removed, nil for no change.
    func change(at path: String) -> Item?? {
        changes.read { $0[path] }
    }

    /// A file below the fixture folder; nil when there is none or the name would leave the folder.
    func file(_ name: String) -> Item? {
        guard let folder, isPlain(name) else { return nil }
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            guard count > 0 else { return nil }
            filled += count
        }
        let modified = facts.st_mtim
        let time = String(modified.tv_sec &* 1_000_000_000 &+ modified.tv_nsec, radix: 16)
        return Item(
            bytes: bytes,
            headers: [
                ("Content-Type", contentType(of: name)),
                ("ETag", "\"\(time)-\(String(bytes.count, radix: 16))\""),
                ("Last-Modified", HTTPDate(secondsSince1970: modified.tv_sec).text),
            ])
    }
}

/// Whether a relative name stays in its folder: plain characters, no empty or dotted segment.
private func isPlain(_ name: String) -> Bool {
    name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
        !segment.isEmpty && !segment.hasPrefix(".")
            && segment.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }
    }
}

private func contentType(of path: String) -> String {
    let types = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "svg": "image/svg+xml",
        "json": "application/json; charset=utf-8", "html": "text/html; charset=utf-8",
        "txt": "text/plain; charset=utf-8",
    ]
    guard let dot = path.lastIndex(of: ".") else { return "application/octet-stream" }
    return types[path[path.index(after: dot)...].lowercased()] ?? "application/octet-stream"
}

/// FNV-1a over 64 bits: equal bytes, equal tag, in every run.
private func fingerprint(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
}
