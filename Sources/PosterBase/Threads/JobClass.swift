/// What a job is to its pool: which jobs go before it, and how many threads jobs of its kind may
/// take. The classes are what a stranger can ask for as much of as they like, each apart from the
/// others and from the work for clients that ask for what is known.
package enum JobClass: Int, CaseIterable, Sendable {
    /// A client waits for a small drawing.
    case standIn
    /// A client waits for a poster that is cached or that a list has named, or for another thing
    /// that no stranger can ask for without end.
    case live
    /// A client waits for a thumbnail in a box that was never made before.
    case newBox
    /// A client waits for a poster whose name was never seen before.
    case newName
    /// A client waits for a large drawing, or for a thumbnail that is large or made from a large
    /// poster.
    case large
    /// No client waits.
    case background

    /// As metrics name it.
    package var name: String {
        switch self {
        case .standIn: "stand_in"
        case .live: "live"
        case .newBox: "new_box"
        case .newName: "new_name"
        case .large: "large"
        case .background: "background"
        }
    }

    /// Whether a client waits for its jobs.
    package var isAwaited: Bool { self != .background }

    /// The turn that its requests to a host take: those for names never seen go behind the others,
    /// as those that no client waits for.
    package var priority: Priority { self == .newName || self == .background ? .background : .live }

    /// Jobs of a later rank run only when none of an earlier one could.
    enum Rank: CaseIterable, Sendable {
        /// For clients that ask for what is known, and small drawings for all.
        case known
        /// For what a stranger may ask for without end.
        case unbounded
        /// For later.
        case background

        /// How many of `threads` its jobs may take together: what is unbounded leaves one to what
        /// is known, where there are two.
        func mostRunning(of threads: Int) -> Int {
            self == .unbounded ? max(1, threads - 1) : threads
        }
    }

    var rank: Rank {
        switch self {
        case .standIn, .live: .known
        case .newBox, .newName, .large: .unbounded
        case .background: .background
        }
    }

    /// How many of `threads` its jobs may take: all, or half where a stranger decides how many jobs
    /// there are.
    func mostRunning(of threads: Int) -> Int {
        self == .live || self == .background ? threads : max(1, threads / 2)
    }

    /// How many of its jobs may wait, of the `capacity` of the pool. What waits longer than a client
    /// does is of little use: so few that threads get through them in about that time.
    func mostWaiting(of capacity: Int) -> Int {
        switch self {
        case .live, .background: capacity
        case .standIn: max(1, capacity / 4)
        case .newBox, .newName: max(1, capacity / 16)
        case .large: max(1, capacity / 32)
        }
    }
}

extension JobClass {
    /// That of work which nothing more is known of.
    package init(_ priority: Priority) { self = priority == .live ? .live : .background }
}
