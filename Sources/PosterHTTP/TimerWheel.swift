/// Deadlines of many connections on one thread: adding one and finding those that are due take
/// the same time however many there are (Varghese and Lauck, "Hashed and hierarchical timing
/// wheels", 1987).
///
/// A deadline cannot be taken back. The caller compares what is due with what it waits for, and
/// adds it again if that is later: most deadlines move many times before they are due.
struct TimerWheel {
    private struct Entry {
        var key: UInt64
        var moment: Int64
    }

    /// Milliseconds a slot. What is due is told at most so much late.
    static let tick: Int64 = 64
    /// Slots. A moment further ahead than the wheel goes round passes its slot more than once.
    private static let slotCount = 1024

    private var slots = [[Entry]](repeating: [], count: Self.slotCount)
    /// The last slot that has been looked at, counted from the clock's zero.
    private var position: Int64
    /// When the first slot with an entry comes round, in milliseconds; `nil` without entries.
    private(set) var nextDue: Int64?

    /// `now` in milliseconds of any clock that never goes back.
    init(now: Int64) { position = now / Self.tick }

    /// Adds a moment for a key.
    mutating func add(_ key: UInt64, at moment: Int64) {
        // The slot after the moment's own, so that it is past when its slot is looked at.
        let slot = max(moment / Self.tick + 1, position + 1)
        slots[Int(slot % Int64(Self.slotCount))].append(Entry(key: key, moment: moment))
        let due = min(slot, position + Int64(Self.slotCount)) * Self.tick
        nextDue = min(nextDue ?? due, due)
    }

    /// Removes what is due at `now`, and returns it in no order.
    mutating func due(at now: Int64) -> [(key: UInt64, moment: Int64)] {
        guard let nextDue, now >= nextDue else { return [] }
        let current = now / Self.tick
        var found: [(key: UInt64, moment: Int64)] = []
        // Once round at most, however long the process was stopped.
        let first = max(position + 1, current - Int64(Self.slotCount) + 1)
        for slot in first...max(first, current) {
            let index = Int(slot % Int64(Self.slotCount))
            guard !slots[index].isEmpty else { continue }
            slots[index].removeAll { entry in
                guard entry.moment <= now else { return false }
                found.append((entry.key, entry.moment))
                return true
            }
        }
        position = max(position, current)
        self.nextDue = nextOccupied()
        return found
    }

    private func nextOccupied() -> Int64? {
        let slot = (position + 1...position + Int64(Self.slotCount)).first { slot in
            !slots[Int(slot % Int64(Self.slotCount))].isEmpty
        }
        return slot.map { $0 * Self.tick }
    }
}
