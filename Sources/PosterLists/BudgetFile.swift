import Glibc
import PosterBase
import PosterFetch

/// The slots of a budget as a file in the cache directory, `hosts/HOST.budget`: a stamp for each.
///
/// Every slot is locked for itself and for microseconds, without waiting: a slot that another
/// process holds counts as taken. What the file says is believed for a minute at most.
struct BudgetFile: Sendable {
    private let path: String

    /// `host` is the origin that the budget is for.
    init(cacheDirectory: String, host: String) {
        path = HostFile(host, in: cacheDirectory).path(.budget)
    }

    /// What taking a slot came to.
    enum Outcome {
        case taken(slot: Int, stamp: BudgetStamp)
        /// None is free; the first one will be after this time.
        case spent(Duration)
        /// The disk does not play along.
        case unavailable
    }

    /// Takes the first free one of `count` slots.
    func take(_ count: Int, _ clock: TimeSource) -> Outcome {
        do throws(FileError) {
            let file = try SlotFile(path, recordLength: BudgetStamp.length)
            let bytes = try file.records(count)
            let now = BudgetStamp.now(by: clock)
            var least = RequestBudget.window
            for slot in 0..<count {
                let start = slot * BudgetStamp.length
                let left = BudgetStamp(bytes[start..<start + BudgetStamp.length]).left(now: now)
                guard left <= .zero else {
                    least = min(least, left)
                    continue
                }
                let isTaken = try file.change(slot) { record in
                    guard BudgetStamp(record[...]).left(now: now) <= .zero else { return false }
                    record = now.bytes
                    return true
                }
                if isTaken == true { return .taken(slot: slot, stamp: now) }
                // Another process takes it right now.
                if isTaken == nil { least = min(least, .seconds(1)) }
            }
            return .spent(least)
        } catch { return .unavailable }
    }

    /// Puts another stamp in a slot, or none, if it still holds `old`.
    func replace(_ slot: Int, _ old: BudgetStamp, by new: BudgetStamp?) {
        do throws(FileError) {
            _ = try SlotFile(path, recordLength: BudgetStamp.length).change(slot) { record in
                guard BudgetStamp(record[...]) == old else { return false }
                record = new?.bytes ?? Array(repeating: 0, count: BudgetStamp.length)
                return true
            }
        } catch {
            // The slot is free again a minute after it was taken.
        }
    }
}

/// When a slot was taken: on the clock that runs since the machine was started and cannot be
/// set; and on the wall clock, for after a restart.
struct BudgetStamp: Equatable, Sendable {
    /// Bytes of ``bytes``.
    static let length = 24

    /// Of the machine's start (`/proc/sys/kernel/random/boot_id`).
    let boot: UInt64
    /// Nanoseconds since then.
    let sinceBoot: Int64
    let wall: Timestamp

    /// Now, as far ahead of the machine's clocks as `clock` is.
    static func now(by clock: TimeSource) -> BudgetStamp {
        let boot = PauseRecord.Boot.current(by: clock)
        return BudgetStamp(
            boot: ContentHash(of: Array(boot.id.utf8)).high, sinceBoot: boot.nanoseconds,
            wall: clock.now())
    }

    init(boot: UInt64, sinceBoot: Int64, wall: Timestamp) {
        (self.boot, self.sinceBoot, self.wall) = (boot, sinceBoot, wall)
    }

    /// Reads ``bytes``; any 24 bytes are some stamp.
    init(_ bytes: ArraySlice<UInt8>) {
        let words = (0..<3).map { word in
            bytes.dropFirst(word * 8).prefix(8).reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
        }
        boot = words[0]
        sinceBoot = Int64(bitPattern: words[1])
        wall = Timestamp(nanoseconds: Int64(bitPattern: words[2]))
    }

    /// Three little-endian words of 64 bits.
    var bytes: [UInt8] {
        [boot, UInt64(bitPattern: sinceBoot), UInt64(bitPattern: wall.nanoseconds)].flatMap {
            word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }

    /// For how long the slot is taken still; zero or less when it is free. A stamp over a minute
    /// from `now`, before or after, is none: a slot that no stamp was put in, another machine's
    /// clock, or damage.
    func left(now: BudgetStamp) -> Duration {
        guard self != BudgetStamp(boot: 0, sinceBoot: 0, wall: Timestamp(nanoseconds: 0)) else {
            return .zero
        }
        // Durations of 128 bits: no difference of two times of 64 bits overflows.
        let age =
            boot == now.boot
            ? .nanoseconds(now.sinceBoot) - .nanoseconds(sinceBoot) : now.wall - wall
        let isNear = age > .zero - RequestBudget.window && age < RequestBudget.window
        return isNear ? RequestBudget.window - age : .zero
    }
}
