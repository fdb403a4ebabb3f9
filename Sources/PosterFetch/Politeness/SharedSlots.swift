import PosterBase

/// A number of slots that all processes of a cache directory share, each held by one request at a
/// time: the places of a concurrency limit, or the turns of a rate limit, which rest for a while
/// after each use.
///
/// Each slot has some lanes, which are 16 bytes of a file and a lock (``LockFile``) each. The lane
/// with the highest generation is the slot's; its lock belongs to the holder, so that a process that
/// dies gives its slots back. A holder that keeps a slot for longer than any request may take was
/// stopped (SIGSTOP), and is passed over: the next lane, with the next generation, becomes the
/// slot's, and what the stopped process writes into its own lane when it goes on is not looked at.
/// No lock stands between a process and the slots that the others do not hold.
///
/// Where the file cannot be used, the limit holds for this process alone.
final class SharedSlots: Sendable {
    /// What the slots are like.
    struct Rules: Sendable {
        /// How many this process may use. Another may use more, and uses the last ones first.
        var count: Int
        /// How long a slot rests after it was used.
        var rest: Duration
        /// No holder needs one for longer.
        var lease: Duration
    }

    /// A slot that is held. Each is given back once, with ``give(back:wasUsed:)``.
    struct Slot: Sendable {
        fileprivate let index: Int
        fileprivate let ticket: UInt64
        /// When it may be taken away.
        let leaseEnd: ContinuousClock.Instant
    }

    /// What asking for a slot came to.
    enum Turn: Sendable {
        case taken(Slot)
        /// All rest or are held. One may be free by then; one that is held, at any time.
        case wait(until: ContinuousClock.Instant, someAreHeld: Bool)
    }

    /// What this process holds.
    private struct Holding {
        let ticket: UInt64
        let file: LockFile?
        let lane: SlotRecord.Lane
        let since: Int64
        /// The record before, for a slot that is given back unused.
        let before: SlotRecord
    }

    private struct State {
        var handle: LockFileHandle
        /// The file's bytes as last seen, which serve where there is no file.
        var image: SlotImage
        var holdings: [Int: Holding] = [:]
        var lastTicket: UInt64 = 0
        /// Lanes whose locks were seen taken, with the same record each time, and since when.
        var seenTaken: [SlotRecord.Lane: (record: SlotRecord, since: Int64)] = [:]
        var hasTold = false
    }

    /// The most slots that there may be.
    static let mostSlots = 256
    /// The longest that waiting visitors of another process are let go first without news of them.
    private static let longestYield = Duration.seconds(2)

    let rules: Rules
    private let state: Monitor<State>
    private let clock: TimeSource
    private let onFailure: @Sendable (FileError) -> Void

    /// `path` nil: for this process alone. `onFailure` is called once each time that the file begins
    /// to be of no use.
    init(
        _ path: String?, _ rules: Rules, clock: TimeSource = .system,
        onFailure: @escaping @Sendable (FileError) -> Void = { _ in }
    ) {
        var rules = rules
        rules.count = min(max(rules.count, 1), Self.mostSlots)
        self.rules = rules
        (self.clock, self.onFailure) = (clock, onFailure)
        state = Monitor(
            State(
                handle: LockFileHandle(path, size: SlotImage.size(slots: Self.mostSlots)),
                image: SlotImage(slots: rules.count)))
    }

    /// Asks for a slot. Does not wait. Background work lets visitors go first that wait in this
    /// process or another (``noteVisitor(waitsUntil:)``).
    func take(_ priority: Priority = .live) -> Turn {
        let instant = clock.instant()
        let now = instant.sinceBoot
        return withFile { state throws(FileError) -> Turn in
            if priority == .background {
                let left = SlotRecord.nanoseconds(from: now, to: state.image.visitorsWaitUntil)
                if left > .zero, left <= Self.longestYield {
                    return .wait(until: instant + left, someAreHeld: false)
                }
            }
            return try take(&state, now, instant)
        }
    }

    /// Gives a slot back. It rests from now on if it was used, else as if it had not been taken.
    /// A slot that was taken away meanwhile is another's.
    func give(back slot: Slot, wasUsed: Bool) {
        let now = clock.instant().sinceBoot
        state.withLock { state in
            guard let holding = state.holdings[slot.index], holding.ticket == slot.ticket else {
                return
            }
            state.holdings[slot.index] = nil
            release(holding, wasUsed ? holding.before.rested(from: now) : holding.before, &state)
            if state.holdings.isEmpty { state.handle.close() }
        }
    }

    /// Tells the background work of every process that a visitor waits for a slot, until about then.
    func noteVisitor(waitsUntil end: ContinuousClock.Instant) {
        let instant = clock.instant()
        let left = min(instant.duration(to: end), Self.longestYield)
        let until = (instant + left).sinceBoot
        withFile { state throws(FileError) in
            let known = SlotRecord.nanoseconds(from: state.image.visitorsWaitUntil, to: until)
            guard known > .milliseconds(5) || known < .zero - Self.longestYield else { return }
            state.image.visitorsWaitUntil = until
            try state.handle.file?.write(state.image.headBytes, at: 0)
        }
    }

    /// Runs `body` on what the file holds now; without the file when that fails.
    private func withFile<Result>(
        _ body: (inout State) throws(FileError) -> Result
    ) -> Result where Result: Sendable {
        var failure: FileError?
        let result = state.withLock { state in
            if state.handle.refresh() { holdAgain(&state) }
            var result: Result?
            while result == nil {
                do throws(FileError) {
                    if let file = state.handle.file {
                        state.image.bytes = try file.read(state.image.bytes.count, at: 0)
                    }
                    result = try body(&state)
                } catch {
                    // The next round cannot fail: it has no file.
                    state.handle.drop(error)
                }
            }
            if let error = state.handle.failure, !state.hasTold { failure = error }
            state.hasTold = state.handle.failure != nil
            return result
        }
        if let failure { onFailure(failure) }
        guard let result else { preconditionFailure("a body without a file does not fail") }
        return result
    }

    /// The cache directory was replaced, or its disk is well again: what is held counts there, too.
    private func holdAgain(_ state: inout State) {
        guard let file = state.handle.file else { return }
        do throws(FileError) {
            state.image.bytes = try file.read(state.image.bytes.count, at: 0)
            for (index, holding) in state.holdings {
                let lane = state.image.lane(of: index)
                // It is the same file, and the lock is still there; or another process was quicker.
                guard try file.tryLock(lane.offset) else { continue }
                let record = SlotRecord(
                    generation: lane.generation, isHeld: true, stamp: holding.since)
                try write(record, in: lane, &state)
                state.holdings[index] = Holding(
                    ticket: holding.ticket, file: file, lane: lane, since: holding.since,
                    before: record.rested(from: holding.since))
            }
        } catch { state.handle.drop(error) }
    }
}

// How a slot is taken: on the state, behind the lock.
extension SharedSlots {
    private func take(
        _ state: inout State, _ now: Int64, _ instant: ContinuousClock.Instant
    ) throws(FileError) -> Turn {
        dropOverdue(&state, now)
        var (held, nearest) = ([Int](), rules.lease)
        // From the last one down, so that a process with fewer slots finds its own free.
        for index in (0..<rules.count).reversed() where state.holdings[index] == nil {
            switch state.image.record(of: index).standing(now: now, rest: rules.rest) {
            case .free:
                if let slot = try hold(index, &state, now, instant) { return .taken(slot) }
                held.append(index)
            case .resting(let left): nearest = min(nearest, left)
            case .held: held.append(index)
            }
        }
        for index in held {
            if let slot = try takeOver(index, &state, now, instant) { return .taken(slot) }
        }
        return .wait(
            until: instant + nearest, someAreHeld: !held.isEmpty || !state.holdings.isEmpty)
    }

    /// A request of this process that has not ended in its time is not coming back.
    private func dropOverdue(_ state: inout State, _ now: Int64) {
        for (index, holding) in state.holdings
        where SlotRecord.nanoseconds(from: holding.since, to: now) >= rules.lease {
            state.holdings[index] = nil
            release(holding, holding.before.rested(from: now), &state)
        }
    }

    /// Takes a slot that looked free; `nil` when another was quicker.
    private func hold(
        _ index: Int, _ state: inout State, _ now: Int64, _ instant: ContinuousClock.Instant
    ) throws(FileError) -> Slot? {
        let lane = state.image.lane(of: index)
        guard try lock(lane, &state) else { return nil }
        let record = try reread(index, &state)
        guard state.image.lane(of: index) == lane,
            record.standing(now: now, rest: rules.rest) == .free
        else {
            state.handle.file?.unlock(lane.offset)
            return nil
        }
        return try keep(lane, before: record, &state, now, instant)
    }

    /// Takes a slot whose holder has died or was stopped; `nil` when it is well, or has just gone.
    private func takeOver(
        _ index: Int, _ state: inout State, _ now: Int64, _ instant: ContinuousClock.Instant
    ) throws(FileError) -> Slot? {
        let lane = state.image.lane(of: index)
        guard try !lock(lane, &state) else {
            state.seenTaken[lane] = nil
            let record = try reread(index, &state)
            guard state.image.lane(of: index) == lane, record.isHeld else {
                state.handle.file?.unlock(lane.offset)
                return nil
            }
            // It died. Whether it had sent its request is not known, so that the slot rests.
            guard rules.rest == .zero else {
                try write(record.rested(from: now), in: lane, &state)
                state.handle.file?.unlock(lane.offset)
                return nil
            }
            return try keep(lane, before: record.rested(from: now), &state, now, instant)
        }
        let record = state.image.record(of: index)
        var seen = (record, since: now)
        if let before = state.seenTaken[lane], before.record == record { seen.since = before.since }
        state.seenTaken[lane] = seen
        let known = SlotRecord.nanoseconds(from: seen.since, to: now)
        let held = record.isHeld ? SlotRecord.nanoseconds(from: record.stamp, to: now) : known
        guard max(held, known) >= rules.lease else { return nil }
        for step in 1..<UInt64(SlotRecord.lanes) {
            let next = SlotRecord.Lane(slot: index, generation: lane.generation &+ step)
            guard try lock(next, &state) else { continue }
            _ = try reread(index, &state)
            guard state.image.lane(of: index) == lane else {
                state.handle.file?.unlock(next.offset)
                return nil
            }
            state.seenTaken[lane] = nil
            let before = SlotRecord(generation: next.generation, isHeld: false, stamp: now)
            return try keep(next, before: before, &state, now, instant)
        }
        return nil
    }

    private func keep(
        _ lane: SlotRecord.Lane, before: SlotRecord, _ state: inout State, _ now: Int64,
        _ instant: ContinuousClock.Instant
    ) throws(FileError) -> Slot {
        let record = SlotRecord(generation: lane.generation, isHeld: true, stamp: now)
        do throws(FileError) { try write(record, in: lane, &state) } catch {
            state.handle.file?.unlock(lane.offset)
            throw error
        }
        state.lastTicket += 1
        state.holdings[lane.slot] = Holding(
            ticket: state.lastTicket, file: state.handle.file, lane: lane, since: now,
            before: before)
        return Slot(
            index: lane.slot, ticket: state.lastTicket, leaseEnd: instant + rules.lease)
    }

    private func release(_ holding: Holding, _ record: SlotRecord, _ state: inout State) {
        state.image.set(record, in: holding.lane)
        do throws(FileError) {
            try holding.file?.write(record.bytes, at: Int(holding.lane.offset))
        } catch { state.handle.drop(error) }
        holding.file?.unlock(holding.lane.offset)
    }

    private func lock(_ lane: SlotRecord.Lane, _ state: inout State) throws(FileError) -> Bool {
        guard let file = state.handle.file else { return true }
        return try file.tryLock(lane.offset)
    }

    private func write(
        _ record: SlotRecord, in lane: SlotRecord.Lane, _ state: inout State
    ) throws(FileError) {
        state.image.set(record, in: lane)
        try state.handle.file?.write(record.bytes, at: Int(lane.offset))
    }

    private func reread(_ index: Int, _ state: inout State) throws(FileError) -> SlotRecord {
        if let file = state.handle.file {
            let offset = SlotImage.offset(of: index)
            state.image.replace(
                index, with: try file.read(SlotRecord.lanes * SlotRecord.size, at: offset))
        }
        return state.image.record(of: index)
    }
}
