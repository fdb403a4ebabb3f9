import Glibc

/// The end of a pause as it is written down: on the clock that runs since the machine was
/// started, which nobody sets; and on the wall clock, for after a restart.
struct PauseRecord: Equatable, Sendable {
    /// No record is longer.
    static let maxBytes = 4096

    /// When the machine was started, and how long it has been running.
    struct Boot: Equatable, Sendable {
        /// Random, and new at every start (`/proc/sys/kernel/random/boot_id`).
        let id: String
        /// Nanoseconds since then, those asleep included.
        let nanoseconds: Int64

        /// This machine's, now; as far ahead of it as `clock` is.
        static func current(by clock: Clock) -> Boot {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            let ahead = ContinuousClock.now.duration(to: clock.instant())
            return Boot(id: thisBootID, nanoseconds: (Timestamp(time) + ahead).nanoseconds)
        }
    }

    let bootID: String
    let bootEnd: Int64
    let wallEnd: Timestamp
    let cause: HostPause.Cause

    /// A pause that begins now.
    init(_ pause: Duration, because cause: HostPause.Cause, now: Timestamp, boot: Boot) {
        bootID = boot.id
        bootEnd = (Timestamp(nanoseconds: boot.nanoseconds) + pause).nanoseconds
        wallEnd = now + pause
        self.cause = cause
    }

    /// What is left of it; negative when it is over. An hour at most, whatever was written.
    func left(now: Timestamp, boot: Boot) -> Duration {
        let left =
            boot.id == bootID
            ? Timestamp(nanoseconds: bootEnd) - Timestamp(nanoseconds: boot.nanoseconds)
            : wallEnd - now
        return min(left, RetryAfter.longestPause)
    }
}

extension PauseRecord: CustomStringConvertible {
    private static let title = "onesheet-pause 1"

    /// A line for each field.
    var description: String {
        let text = cause.text.filter { !$0.isNewline }.prefix(500)
        return """
            \(Self.title)
            \(bootID)
            \(bootEnd)
            \(wallEnd.nanoseconds)
            \(cause.isAsked ? "asked" : "failing")
            \(text)

            """
    }

    /// Reads what ``description`` writes; `nil` for anything else.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 7, lines[0] == Self.title, let bootEnd = Int64(lines[2]),
            let wallEnd = Int64(lines[3]), ["asked", "failing"].contains(lines[4])
        else { return nil }
        bootID = lines[1]
        self.bootEnd = bootEnd
        self.wallEnd = Timestamp(nanoseconds: wallEnd)
        cause = HostPause.Cause(text: lines[5], isAsked: lines[4] == "asked")
    }
}

/// Empty where the system does not tell: then only the boot clock counts, which is right until
/// the next restart.
private let thisBootID: String = {
    do throws(CacheError) {
        let bytes = try Directory("/proc/sys/kernel/random").open("boot_id").read(36)
        return String(decoding: bytes, as: UTF8.self)
    } catch { return "" }
}()
