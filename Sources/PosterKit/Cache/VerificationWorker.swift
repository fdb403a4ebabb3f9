/// Reads the files of one folder at a time, and checks each against its seal and hash.
struct VerificationWorker {
    private let root: Directory
    private let deletesBad: Bool
    private let work: Monitor<Verification.Work>

    init(_ root: Directory, deletesBad: Bool, _ work: Monitor<Verification.Work>) {
        self.root = root
        self.deletesBad = deletesBad
        self.work = work
    }

    /// Verifies the folder at a path relative to the cache.
    func verify(_ path: String) {
        var walk = CacheWalk(root)
        guard let folder = walk.folder(at: path) else { return note(walk.failures) }
        switch EntryKey.Kind(rawValue: String(path.prefix { $0 != "/" })) {
        case .some(let kind): walk.files(of: folder, kind, look)
        case .none: walk.lists(of: folder, look)
        }
        note(walk.failures)
    }

    private func look(_ item: CacheWalk.Item) {
        do { try verify(item) } catch {
            if !error.isMissing { note([error]) }
        }
    }

    private func verify(_ item: CacheWalk.Item) throws(CacheError) {
        let name = String(cString: item.name)
        let file = try item.folder.directory.open(name)
        let status = try file.status()
        let fault = try fault(of: file, status, item)
        work.withLock { work in
            work.summary.examined += 1
            work.summary.bytes += status.size
            if let fault { work.summary.bad.append((item.path, fault)) }
        }
        guard fault != nil, deletesBad,
            try EntryRemoval.remove(name, ifStill: status, in: item.folder.directory)
        else { return }
        work.withLock { $0.summary.deleted += 1 }
    }

    private func fault(
        of file: borrowing File, _ status: FileStatus, _ item: CacheWalk.Item
    ) throws(CacheError) -> Metrics.BadEntry? {
        guard status.kind == .regular else { return .foreign }
        guard status.size <= SealedFiles.maxBodyLength + Seal.maxLength else { return .torn }
        var bytes = try file.read(status.size)
        do {
            let seal = try Seal(atEndOf: bytes, fileLength: bytes.count) { key in
                item.role == .list
                    ? SealedPlace(list: key).name == String(cString: item.name) : key == item.path
            }
            bytes.removeLast(bytes.count - seal.bodyLength)
            return ContentHash(of: bytes) == seal.bodyHash ? nil : .body
        } catch { return error.reason }
    }

    private func note(_ failures: [CacheError]) {
        guard !failures.isEmpty else { return }
        work.withLock { $0.summary.failures += failures }
    }
}
