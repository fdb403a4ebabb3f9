import PosterBase
package import PosterCache

/// Which posters are being fetched, for all processes of a cache directory: a poster that `serve` and
/// `prefetch` want at once is fetched once.
///
/// A claim is the lock of one offset of a file that stays empty (``LockFile``), so that it ends with
/// its process and leaves nothing behind. Two keys share an offset once in 2^62 cases; then one waits
/// for the other. Where there is no file, every claim is granted.
package final class KeyClaims: Sendable {
    private let handle: Monitor<LockFileHandle>

    /// `cacheDirectory` nil: claims are not shared.
    package init(cacheDirectory: String?) {
        let path = cacheDirectory.map {
            "\($0)/\(CacheDirectory.Folder.hosts.rawValue)/claims"
        }
        handle = Monitor(LockFileHandle(path, size: 0))
    }

    /// A claim of one key, for one job: not taken yet. It has the file open as long as it lives.
    package func claim(of key: EntryKey) -> KeyClaim {
        let file = handle.withLock { handle in
            _ = handle.refresh()
            defer { handle.close() }
            return handle.file
        }
        let hash = ContentHash(of: Array(key.description.utf8)).low
        return KeyClaim(file, offset: Int64(hash >> 2))
    }
}

/// One job's claim of a key, from ``take()`` until ``release()`` or its end. Belongs to one thread.
package final class KeyClaim {
    private let file: LockFile?
    private let offset: Int64
    private var isHeld = false
    /// How often a claim is asked for that another process has: one look costs a microsecond.
    private static let look = Duration.milliseconds(10)

    init(_ file: LockFile?, offset: Int64) { (self.file, self.offset) = (file, offset) }

    deinit { release() }

    /// Takes it. `false`: another process has it. Does not wait.
    func take() -> Bool {
        guard let file, !isHeld else { return true }
        do throws(FileError) { isHeld = try file.tryLock(offset) } catch { return true }
        return isHeld
    }

    /// Waits for it, until `end` or `stop`: a process that was stopped must not keep the others from
    /// a poster for longer than a fetch may take. Blocks.
    func wait(until end: ContinuousClock.Instant, stop: StopSignal) {
        while !take(), ContinuousClock.now < end {
            if stop.wait(until: min(end, .now + Self.look)) { return }
        }
    }

    /// Lets others have it.
    package func release() {
        guard isHeld else { return }
        isHeld = false
        file?.unlock(offset)
    }
}
