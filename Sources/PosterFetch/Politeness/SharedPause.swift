package import PosterBase
import PosterCache

/// The pause of one host as a file in the cache directory, so that every process that shares the
/// cache keeps it: a prefetch started by cron obeys what the server learnt.
///
/// The file `hosts/NAME` is there while the host is owed silence or a probe; the one slot of
/// `hosts/NAME.probe` belongs to the process that probes. Where the disk fails, the pause holds for
/// this process. Every call blocks for the disk.
package final class SharedPause: Sendable {
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
    private let clock: TimeSource
    /// The file as it was last read or written here. Held while news are read and passed on.
    private let known = Monitor<Version?>(nil)
    private let probes: SharedSlots
    /// Held while this process probes.
    private let probe = Monitor<SharedSlots.Slot?>(nil)
    /// No request takes longer, so that a process which probes for longer was stopped.
    private static let longestProbe = Duration.milliseconds(15_500)

    /// `host` is the origin that the pause belongs to.
    package init(cacheDirectory: String, host: String, clock: TimeSource = .system) {
        self.clock = clock
        let file = HostFile(host, in: cacheDirectory)
        (folder, name) = (file.folder, file.name)
        temporary = "\(cacheDirectory)/\(CacheDirectory.Folder.tmp.rawValue)"
        probes = SharedSlots(
            file.path(.probe), .init(count: 1, rest: .zero, lease: Self.longestProbe), clock: clock)
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
        do throws(FileError) {
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
        do throws(FileError) {
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
        do throws(FileError) {
            let folder = try Directory(folder)
            let version = try folder.status(name).map(Version.init)
            guard version == known.withLock({ $0 }) else { return }
            try folder.unlink(name)
            known.withLock { $0 = nil }
        } catch {}
    }

    /// Whether this process may probe: it is the only one, for as long as a request may take.
    func beginProbe() -> Bool {
        guard case .taken(let slot) = probes.take() else { return false }
        probe.withLock { $0 = slot }
        return true
    }

    /// Lets others probe.
    func endProbe() {
        let slot = probe.withLock { probe in
            defer { probe = nil }
            return probe
        }
        if let slot { probes.give(back: slot, wasUsed: true) }
    }
}
