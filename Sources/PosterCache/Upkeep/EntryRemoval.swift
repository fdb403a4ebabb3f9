import Glibc
import PosterBase

/// How a file is removed although another process may replace or renew it at the same moment.
///
/// A removal holds the folder's lock alone while it looks a last time and unlinks; a process that
/// replaces or renews an entry holds it shared. So no new file goes in the old one's stead. The
/// lock is a courtesy: where there are no locks, or a process is stopped while it holds one,
/// writers go on without, and only this guarantee is lost.
enum EntryRemoval {
    /// A file that is to go, and how it looked when that was found.
    struct Victim: Sendable {
        let name: String
        let status: FileStatus
    }

    /// What became of a file that was to go.
    enum Outcome: Sendable {
        /// It was removed.
        case removed
        /// Another process had removed it.
        case gone
        /// Another process has renewed or replaced it, and it stays.
        case changed
    }

    /// How long the lock is held at a time for a removal of many, if no single one takes longer.
    static let slice = Duration.milliseconds(2)
    /// Milliseconds that a process waits for the lock. Each holds it for microseconds.
    private static let patience = 50
    /// The same for a removal of many, for which no client waits: on a busy machine a process that
    /// holds the lock may not run for longer than ``patience``.
    private static let longPatience = 2000

    /// Removes `name` if it is still the file that `status` tells of, unread but unrenewed.
    /// `false` when it is not, or the lock stays taken.
    @discardableResult
    static func remove(
        _ name: String, ifStill status: FileStatus, in folder: Directory
    ) throws(FileError) -> Bool {
        try folder.withLock(alone: true, waiting: patience) { (outcome) throws(FileError) in
            if case .taken = outcome { return false }
            return try unlink(Victim(name: name, status: status), in: folder) == .removed
        }
    }

    /// Removes those of `victims` that are still the files that were seen, and tells `outcome` of
    /// each in turn. The lock is let go of every ``slice``, and `rest` is called, so that a process
    /// that replaces an entry gets in between. Where the folder stays taken, all that are left fail
    /// with `EWOULDBLOCK`.
    static func remove(
        _ victims: [Victim], in folder: Directory, slice: Duration = Self.slice,
        rest: () -> Void = { usleep(2000) },
        outcome tell: (Victim, Result<Outcome, FileError>) -> Void
    ) {
        var left = victims[...]
        while !left.isEmpty {
            do throws(FileError) {
                try folder.withLock(alone: true, waiting: longPatience) {
                    (outcome) throws(FileError) in
                    if case .taken = outcome { throw taken(folder) }
                    let end = ContinuousClock.now + slice
                    repeat {
                        let victim = left.removeFirst()
                        tell(victim, removal(of: victim, in: folder))
                    } while !left.isEmpty && .now < end
                }
            } catch {
                for victim in left { tell(victim, .failure(error)) }
                return
            }
            if !left.isEmpty { rest() }
        }
    }

    private static func taken(_ folder: Directory) -> FileError {
        FileError(
            .lock, folder.path, code: EWOULDBLOCK, reason: "another process holds its lock")
    }

    private static func removal(
        of victim: Victim, in folder: Directory
    ) -> Result<Outcome, FileError> {
        do throws(FileError) { return .success(try unlink(victim, in: folder)) } catch {
            return .failure(error)
        }
    }

    private static func unlink(
        _ victim: Victim, in folder: Directory
    ) throws(FileError) -> Outcome {
        guard let now = try folder.status(victim.name) else { return .gone }
        guard now.kind == .regular, now.identity == victim.status.identity,
            now.modified == victim.status.modified, now.size == victim.status.size
        else { return .changed }
        return try folder.unlink(victim.name) ? .removed : .gone
    }

    /// Runs `body`, which replaces or renews an entry of `folder`, while no process removes one.
    static func withSharedLock<Result>(
        in folder: Directory, _ body: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        try folder.withLock(alone: false, waiting: patience) { (_) throws(FileError) in
            try body()
        }
    }
}
