import PosterBase
import PosterFetch

/// How many requests a minute the list API is asked, by all processes of a cache directory
/// together: in no rolling minute more, as the API counts.
///
/// The budget is a row of slots, one for each request of a minute. A permit takes a free slot,
/// which is free again a minute after its answer came: the API had counted the request by then.
/// The last quarter of the slots is for lists in use, so that requests for ever other lists leave
/// the lists that clients look at their share; and the eighth before it is for these and for prefetch,
/// which the operator runs.
final class RequestBudget: Sendable {
    /// The time that the budget is for.
    static let window = Duration.seconds(60)

    /// What a permit is wanted for.
    enum Claim: Sendable {
        /// A list that was asked for within the last hour: it may use every slot.
        case listInUse
        /// Any other list that is prefetched.
        case prefetch
        /// Any other list.
        case otherList
    }

    /// Leave to send one request, to be given back by ``settle(_:)`` or ``release(_:)``.
    struct Permit: Sendable {
        fileprivate var ownSlot: Int?
        fileprivate var shared: (slot: Int, stamp: BudgetStamp)?
    }

    /// No slot is free.
    struct Spent: Error, Equatable {
        /// When the first one will be, in whole seconds from now, at least 1.
        let retryAfterSeconds: Int
    }

    /// The number of slots; 0: no limit.
    let perMinute: Int
    private let file: BudgetFile?
    private let clock: TimeSource
    /// The slots that this process took, by the clock that cannot be set: they hold where the file
    /// cannot be read or written, or was damaged.
    private let own: Monitor<[ContinuousClock.Instant?]>

    /// `perMinute` 0: no limit. `file` is what the processes share.
    init(perMinute: Int, file: BudgetFile?, clock: TimeSource = .system) {
        self.perMinute = max(0, perMinute)
        (self.file, self.clock) = (file, clock)
        own = Monitor(Array(repeating: nil, count: self.perMinute))
    }

    /// How many slots a claim may use. At least one is for any list.
    static func slots(_ perMinute: Int, for claim: Claim) -> Int {
        let ofPrefetch = perMinute - (perMinute + 3) / 4
        let ofOthers = ofPrefetch - (perMinute + 7) / 8
        return switch claim {
        case .listInUse: perMinute
        case .prefetch: max(min(1, perMinute), ofPrefetch)
        case .otherList: max(min(1, perMinute), ofOthers)
        }
    }

    /// Takes a slot. Throws when none is free. Blocks for the disk only, and never for another
    /// process.
    func take(_ claim: Claim) throws(Spent) -> Permit {
        guard perMinute > 0 else { return Permit() }
        let count = Self.slots(perMinute, for: claim)
        var permit = Permit(ownSlot: try takeOwn(count))
        switch file?.take(count, clock) {
        case nil, .unavailable: break
        case .taken(let slot, let stamp): permit.shared = (slot, stamp)
        case .spent(let left):
            release(permit)
            throw Spent(left)
        }
        return permit
    }

    /// The request was answered, or failed: its slot is free again in a minute.
    func settle(_ permit: Permit) {
        if let slot = permit.ownSlot { own.withLock { $0[slot] = clock.instant() } }
        if let (slot, stamp) = permit.shared {
            file?.replace(slot, stamp, by: .now(by: clock))
        }
    }

    /// The request was not sent: its slot is free at once.
    func release(_ permit: Permit) {
        if let slot = permit.ownSlot { own.withLock { $0[slot] = nil } }
        if let (slot, stamp) = permit.shared { file?.replace(slot, stamp, by: nil) }
    }

    private func takeOwn(_ count: Int) throws(Spent) -> Int {
        let now = clock.instant()
        let found: (slot: Int?, left: Duration) = own.withLock { slots in
            var least = Self.window
            for slot in 0..<count {
                let left = slots[slot].map { $0 + Self.window - now } ?? .zero
                if left <= .zero {
                    slots[slot] = now
                    return (slot, .zero)
                }
                least = min(least, left)
            }
            return (nil, least)
        }
        guard let slot = found.slot else { throw Spent(found.left) }
        return slot
    }
}

extension RequestBudget.Spent {
    fileprivate init(_ left: Duration) {
        retryAfterSeconds = max(1, min(left, RequestBudget.window).wholeSeconds)
    }
}
