package import PosterBase
import PosterCache

/// A pause as it is written down: its begin and end on the clock that runs since the machine was
/// started and cannot be set, and on the wall clock, for after a restart.
package struct PauseRecord: Equatable, Sendable {
    /// No record is longer.
    static let maxBytes = 4096

    /// When the machine was started, and how long it has been running.
    package struct Boot: Equatable, Sendable {
        /// Random, and new at every start (`/proc/sys/kernel/random/boot_id`).
        package let id: String
        /// Nanoseconds since then, those asleep included.
        package let nanoseconds: Int64

        /// This machine's, now.
        package static func current(by clock: TimeSource) -> Boot {
            Boot(id: thisBootID, nanoseconds: clock.instant().sinceBoot)
        }
    }

    let bootID: String
    /// When it was written, and when the pause is over, in nanoseconds since that start.
    let bootBegin: Int64
    let bootEnd: Int64
    /// The same by the wall clock.
    let wallBegin: Timestamp
    let wallEnd: Timestamp
    let cause: HostPause.Cause

    /// A pause that begins now.
    init(_ pause: Duration, because cause: HostPause.Cause, now: Timestamp, boot: Boot) {
        bootID = boot.id
        bootBegin = boot.nanoseconds
        bootEnd = (Timestamp(nanoseconds: boot.nanoseconds) + pause).nanoseconds
        (wallBegin, wallEnd) = (now, now + pause)
        self.cause = cause
    }

    /// What is left of it, an hour at most; negative when it is over; `nil` when it cannot be told,
    /// so that the record counts for nothing.
    ///
    /// It cannot be told where the record lies in the reader's future by more than clocks are
    /// corrected: it was written before the last restart under a wall clock that was far ahead, and
    /// may be of any age.
    func left(now: Timestamp, boot: Boot) -> Duration? {
        if boot.id == bootID, boot.nanoseconds >= bootBegin {
            return Self.left(
                of: Timestamp(nanoseconds: bootBegin), until: Timestamp(nanoseconds: bootEnd),
                at: Timestamp(nanoseconds: boot.nanoseconds))
        }
        guard now + CacheEntry.clockTolerance >= wallBegin else { return nil }
        return Self.left(of: wallBegin, until: wallEnd, at: max(now, wallBegin))
    }

    private static func left(
        of begin: Timestamp, until end: Timestamp, at moment: Timestamp
    ) -> Duration? {
        guard end >= begin else { return nil }
        return min(end, begin + RetryAfter.longestPause) - moment
    }
}

extension PauseRecord: CustomStringConvertible {
    private static let title = "onesheet-pause 2"

    /// A line for each field.
    package var description: String {
        let text = cause.text.filter { !$0.isNewline }.prefix(500)
        return """
            \(Self.title)
            \(bootID)
            \(bootBegin)
            \(bootEnd)
            \(wallBegin.nanoseconds)
            \(wallEnd.nanoseconds)
            \(cause.isAsked ? "asked" : "failing")
            \(text)

            """
    }

    /// Reads what ``description`` writes; `nil` for anything else.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 9, lines[0] == Self.title,
            let bootBegin = Int64(lines[2]), let bootEnd = Int64(lines[3]),
            let wallBegin = Int64(lines[4]), let wallEnd = Int64(lines[5]),
            ["asked", "failing"].contains(lines[6])
        else { return nil }
        bootID = lines[1]
        (self.bootBegin, self.bootEnd) = (bootBegin, bootEnd)
        self.wallBegin = Timestamp(nanoseconds: wallBegin)
        self.wallEnd = Timestamp(nanoseconds: wallEnd)
        cause = HostPause.Cause(text: lines[7], isAsked: lines[6] == "asked")
    }
}

/// Empty where the system does not tell: then a restart shows only by a boot clock that is behind
/// the record's.
private let thisBootID: String = {
    do throws(FileError) {
        let bytes = try Directory("/proc/sys/kernel/random").open("boot_id").read(36)
        return String(decoding: bytes, as: UTF8.self)
    } catch { return "" }
}()
