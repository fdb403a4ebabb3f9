import Glibc

/// The pause of one host as a file in the cache directory, so that every process that shares the
/// cache keeps it: a prefetch started by cron obeys what the server learnt.
///
/// The file `hosts/NAME` is there while the host is owed silence or a probe; the lock on
/// `hosts/NAME.probe` belongs to the one process that probes. A disk that does not play along
/// takes nothing from the pause in this process. Every call blocks for the disk.
final class SharedPause: Sendable {
    /// How long after its end a pause still asks for a probe.
    static let probedFor = Duration.seconds(600)

    /// A version of the file, which is only ever replaced.
    private struct Version: Equatable {
        let identity: FileStatus.Identity
        let modified: Timestamp

        init(_ status: FileStatus) { (identity, modified) = (status.identity, status.modified) }
    }

    private let folder: String
    private let temporary: String
    private let name: String
    private let clock: Clock
    /// The file as it was last read or written here. Held while news are read and passed on.
    private let known = Monitor<Version?>(nil)
    /// The descriptor that holds the lock of the probe; -1: this process does not probe.
    private let probe = Monitor<Int32>(-1)

    /// `host` is the origin that the pause belongs to.
    init(cacheDirectory: String, host: String, clock: Clock = .system) {
        self.clock = clock
        folder = "\(cacheDirectory)/\(CacheDirectory.Folder.hosts.rawValue)"
        temporary = "\(cacheDirectory)/\(CacheDirectory.Folder.tmp.rawValue)"
        name = String(decoding: host.utf8.prefix(200).map(Self.nameByte), as: UTF8.self)
    }

    deinit { endProbe() }

    /// Hands what another process wrote since the last look to `take`. Who asks meanwhile waits
    /// until `take` has it: only one is told, and none may go on as if there were no news.
    ///
    /// A `left` of zero asks for a probe.
    func passOnNews(_ take: (_ left: Duration, HostPause.Cause) -> Void) {
        known.withLock { known in
            if let news = news(since: &known) { take(news.left, news.cause) }
        }
    }

    private func news(since known: inout Version?) -> (left: Duration, cause: HostPause.Cause)? {
        do throws(CacheError) {
            let status = try Directory.status(at: "\(folder)/\(name)")
            let version = status.map(Version.init)
            guard known != version else { return nil }
            known = version
            guard let status, status.kind == .regular else { return nil }
            let bytes = try Directory(folder).open(name).read(PauseRecord.maxBytes)
            guard let record = PauseRecord(String(decoding: bytes, as: UTF8.self)) else {
                return nil
            }
            guard let left = record.left(now: clock.now(), boot: .current(by: clock)),
                left + Self.probedFor > .zero
            else { return nil }
            return (max(left, .zero), record.cause)
        } catch { return nil }
    }

    /// Tells the others of a pause from now on.
    func write(_ pause: Duration, because cause: HostPause.Cause) {
        let record = PauseRecord(pause, because: cause, now: clock.now(), boot: .current(by: clock))
        do throws(CacheError) {
            let folder = try Directory(folder)
            var new = try TemporaryFile(in: Directory(temporary))
            try new.file.write(Array(record.description.utf8))
            try new.publish(as: name, in: folder)
            let version = try folder.status(name).map(Version.init)
            known.withLock { $0 = version }
        } catch {}
    }

    /// The host is well again. What another process has written meanwhile stays.
    func clear() {
        do throws(CacheError) {
            let folder = try Directory(folder)
            let version = try folder.status(name).map(Version.init)
            guard version == known.withLock({ $0 }) else { return }
            try folder.unlink(name)
            known.withLock { $0 = nil }
        } catch {}
    }

    /// Whether this process may probe. `true` as well where there are no locks to be had.
    func beginProbe() -> Bool {
        let opened = open(
            "\(folder)/\(name).probe", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard opened >= 0 else { return true }
        if flock(opened, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(opened)
            return false
        }
        let old = probe.withLock { probe in
            defer { probe = opened }
            return probe
        }
        if old >= 0 { unlockAndClose(old) }
        return true
    }

    /// Lets others probe.
    func endProbe() {
        let opened = probe.withLock { probe in
            defer { probe = -1 }
            return probe
        }
        if opened >= 0 { unlockAndClose(opened) }
    }

    private static func nameByte(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): byte
        default: UInt8(ascii: "_")
        }
    }
}
