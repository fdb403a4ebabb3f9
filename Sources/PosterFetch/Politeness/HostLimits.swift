package import PosterBase
import PosterCache

/// How many requests to one host may be under way at once, and how many may be sent a second, for all
/// processes of a cache directory together.
package struct HostLimits: Sendable {
    /// What a request holds.
    struct Grant: Sendable {
        var place: SharedSlots.Slot?
        var turn: SharedSlots.Slot?
    }

    /// What asking for leave came to.
    enum Answer: Sendable {
        case granted(Grant)
        /// Not now. Something may have come free by then; with `maySooner`, at any time.
        case wait(until: ContinuousClock.Instant, maySooner: Bool)
    }

    /// The places of the requests that are under way; `nil`: no limit.
    private let places: SharedSlots?
    /// The turns of a second; `nil`: no limit.
    private let turns: SharedSlots?

    /// More turns than this are not kept apart: each is then used several times a second.
    private static let mostTurns = 64
    /// A second, and what two machines' clocks may differ in one.
    private static let second = Duration.milliseconds(1005)
    /// How long after its limit a request may take to end.
    private static let leeway = Duration.milliseconds(500)

    /// `concurrency` requests at once and `perSecond` a second (0: no limit; 256 at once are none,
    /// either). `timeout` is the longest that one may take: a process that holds a place for longer was
    /// stopped. `cacheDirectory` nil: for this process alone. `onFailure` is told when the limits
    /// cannot be shared.
    package init(
        concurrency: Int, perSecond: Int, timeout: Duration, cacheDirectory: String? = nil,
        host: String = "", clock: TimeSource = .system,
        onFailure: @escaping @Sendable (FileError) -> Void = { _ in }
    ) {
        let file = cacheDirectory.map { HostFile(host, in: $0) }
        let lease = timeout + Self.leeway
        let hasPlaces = (1..<SharedSlots.mostSlots).contains(concurrency)
        if hasPlaces {
            let rules = SharedSlots.Rules(count: concurrency, rest: .zero, lease: lease)
            places = SharedSlots(
                file?.path(.places), rules, clock: clock, onFailure: onFailure)
        } else {
            places = nil
        }
        guard perSecond > 0 else {
            turns = nil
            return
        }
        let uses = (perSecond - 1) / Self.mostTurns + 1
        let rules = SharedSlots.Rules(
            count: perSecond / uses, rest: Self.second / uses, lease: lease)
        turns = SharedSlots(file?.path(.turns), rules, clock: clock) { error in
            // One line is enough where neither file can be used.
            if !hasPlaces { onFailure(error) }
        }
    }

    /// Asks for a place and a turn. Does not wait, and holds nothing when it does not get both.
    func take(_ priority: Priority) -> Answer {
        var grant = Grant()
        switch places?.take(priority) {
        case .taken(let place): grant.place = place
        case .wait(let end, let maySooner):
            return wait(until: end, maySooner: maySooner, priority)
        case nil: break
        }
        switch turns?.take(places == nil ? priority : .live) {
        case .taken(let turn): grant.turn = turn
        case .wait(let end, let maySooner):
            giveBack(grant)
            return wait(until: end, maySooner: maySooner, priority)
        case nil: break
        }
        return .granted(grant)
    }

    /// Asks for a turn for one more request of a grant. Does not wait.
    func takeTurn() -> Answer {
        switch turns?.take() {
        case .taken(let turn): .granted(Grant(turn: turn))
        case .wait(let end, let maySooner): .wait(until: end, maySooner: maySooner)
        case nil: .granted(Grant())
        }
    }

    private func wait(
        until end: ContinuousClock.Instant, maySooner: Bool, _ priority: Priority
    ) -> Answer {
        if priority == .live { (places ?? turns)?.noteVisitor(waitsUntil: end) }
        return .wait(until: end, maySooner: maySooner)
    }

    /// Gives back what no request was sent with, and the place in any case.
    func giveBack(_ grant: Grant) {
        if let turn = grant.turn { turns?.give(back: turn, wasUsed: false) }
        if let place = grant.place { places?.give(back: place, wasUsed: true) }
    }

    /// Gives back a turn that was used.
    func giveBack(turn: SharedSlots.Slot) { turns?.give(back: turn, wasUsed: true) }
}

/// The files that the processes of a cache directory keep of one upstream host.
package struct HostFile: Sendable {
    package enum Kind: String {
        /// The record of a pause (``SharedPause``).
        case pause = ""
        /// The lock of who probes the host after a pause.
        case probe = ".probe"
        case places = ".places"
        case turns = ".turns"
        /// The slots of a minute's requests (``BudgetFile``).
        case budget = ".budget"
    }

    let folder: String
    let name: String

    /// `host` is the origin that they belong to.
    package init(_ host: String, in cacheDirectory: String) {
        folder = "\(cacheDirectory)/\(CacheDirectory.Folder.hosts.rawValue)"
        name = String(decoding: host.utf8.prefix(200).map(Self.nameByte), as: UTF8.self)
    }

    package func path(_ kind: Kind) -> String { "\(folder)/\(name)\(kind.rawValue)" }

    private static func nameByte(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): byte
        default: UInt8(ascii: "_")
        }
    }
}
