import PosterBase

/// What one lane of a slot says: 16 bytes of a file that every process of a cache directory writes
/// (``SharedSlots``). Bytes that no process of ours wrote count as a slot that is free, or will be
/// within its rest or its lease.
struct SlotRecord: Equatable, Sendable {
    /// Bytes of a record: the generation with two bits for "held" and "written", then the stamp, of 64
    /// bits each. In this machine's order: a reader's boot clock is the writer's.
    static let size = 16
    /// Lanes of a slot: so many holders less one may be stopped before the slot is lost.
    static let lanes = 4

    /// Which of a slot's lanes it is: that of its generation.
    struct Lane: Hashable, Sendable {
        let slot: Int
        let generation: UInt64

        /// Where its record lies, and which lock is its own.
        var offset: Int64 {
            let lane = Int(generation % UInt64(SlotRecord.lanes))
            return Int64(SlotImage.offset(of: slot) + lane * SlotRecord.size)
        }
    }

    /// Whether a slot can be had.
    enum Standing: Equatable, Sendable {
        case free
        /// For so long, at most the rest.
        case resting(Duration)
        case held
    }

    private static let heldBit: UInt64 = 1 << 63
    private static let writtenBit: UInt64 = 1 << 62
    /// The highest that is believed; beyond it lies garbage.
    private static let mostGeneration: UInt64 = 1 << 61

    private(set) var generation: UInt64 = 0
    private(set) var isHeld = false
    /// When it was taken, or given back; nanoseconds of the boot clock.
    private(set) var stamp: Int64 = .min

    /// A lane that was never used.
    init() {}

    init(generation: UInt64, isHeld: Bool, stamp: Int64) {
        (self.generation, self.isHeld, self.stamp) = (generation, isHeld, stamp)
    }

    /// Reads 16 bytes.
    init(_ bytes: [UInt8], at offset: Int) {
        let (word, stamp) = bytes.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: offset + 8, as: Int64.self)
            )
        }
        let generation = word & ~(Self.heldBit | Self.writtenBit)
        guard word & Self.writtenBit != 0, generation <= Self.mostGeneration else { return }
        (self.generation, self.stamp) = (generation, stamp)
        isHeld = word & Self.heldBit != 0
    }

    /// What ``init(_:at:)`` reads.
    var bytes: [UInt8] {
        let word = generation | Self.writtenBit | (isHeld ? Self.heldBit : 0)
        return withUnsafeBytes(of: (word, stamp)) { Array($0) }
    }

    /// Given back at that time.
    func rested(from now: Int64) -> SlotRecord {
        SlotRecord(generation: generation, isHeld: false, stamp: now)
    }

    /// Whether the slot can be had at a moment. A stamp of the future is of another start of the
    /// machine, and counts as one of this moment.
    func standing(now: Int64, rest: Duration) -> Standing {
        if isHeld { return .held }
        guard stamp != .min, rest > .zero else { return .free }
        let left = rest - max(Self.nanoseconds(from: stamp, to: now), .zero)
        return left > .zero ? .resting(left) : .free
    }

    /// The time between two readings of the boot clock, whatever they are.
    static func nanoseconds(from earlier: Int64, to later: Int64) -> Duration {
        Timestamp(nanoseconds: later) - Timestamp(nanoseconds: earlier)
    }
}

/// The bytes of a file of slots: 64 for what holds for all of them, then 64 for each.
struct SlotImage: Sendable {
    private static let head = 64
    private static let slotSize = SlotRecord.lanes * SlotRecord.size

    var bytes: [UInt8]

    init(slots: Int) { bytes = [UInt8](repeating: 0, count: Self.size(slots: slots)) }

    static func size(slots: Int) -> Int { head + slots * slotSize }

    /// Where a slot's lanes begin.
    static func offset(of slot: Int) -> Int { head + slot * slotSize }

    /// Until when a visitor waits somewhere, in nanoseconds of the boot clock.
    var visitorsWaitUntil: Int64 {
        get { bytes.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) } }
        set {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: newValue, as: Int64.self) }
        }
    }

    /// What holds for all slots.
    var headBytes: [UInt8] { Array(bytes[..<8]) }

    /// The slot's own record: that of the highest generation which stands in its lane.
    func record(of slot: Int) -> SlotRecord {
        var best = SlotRecord()
        for lane in 0..<SlotRecord.lanes {
            let record = SlotRecord(bytes, at: Self.offset(of: slot) + lane * SlotRecord.size)
            guard record.generation % UInt64(SlotRecord.lanes) == UInt64(lane) else { continue }
            if lane == 0 || record.generation > best.generation { best = record }
        }
        return best
    }

    /// The lane of ``record(of:)``.
    func lane(of slot: Int) -> SlotRecord.Lane {
        SlotRecord.Lane(slot: slot, generation: record(of: slot).generation)
    }

    mutating func set(_ record: SlotRecord, in lane: SlotRecord.Lane) {
        let start = Int(lane.offset)
        bytes.replaceSubrange(start..<start + SlotRecord.size, with: record.bytes)
    }

    mutating func replace(_ slot: Int, with lanes: [UInt8]) {
        let start = Self.offset(of: slot)
        bytes.replaceSubrange(start..<start + Self.slotSize, with: lanes)
    }
}
