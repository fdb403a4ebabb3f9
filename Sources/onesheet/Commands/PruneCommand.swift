import PosterBase
import PosterCache

/// `onesheet prune`: what has expired goes, and what was used longest ago while over a limit.
enum PruneCommand {
    private static let maxSize = Option(
        name: "max-size", placeholder: "SIZE",
        help: "the most that the cache may hold; a number, with K, M, G or T")
    private static let minFree = Option(
        name: "min-free", placeholder: "SIZE",
        help: "the least that must stay free on the cache's disk, inodes included")
    private static let maxEntries = Option(
        name: "max-entries", placeholder: "N", help: "the most entries that the cache may hold")
    private static let trustClock = Option(
        name: "trust-clock", help: "delete what looks expired even if the clock looks wrong")
    private static let dryRun = Option(
        name: "dry-run", short: "n", help: "delete nothing; print the paths that would go")

    static let command = Command(
        name: "prune", operands: "", summary: "delete what has expired, and what is too much",
        details: [
            "Deletes from the cache what is older than the maximal age; then, while it holds more "
                + "than --max-size or --max-entries, or the disk has less free than --min-free, "
                + "what was used longest ago; and temporary files that a crash left. A thumbnail "
                + "has the age of its poster, so they go together, and its use is a use of its "
                + "poster. Lists count as pictures do. Folders that are empty then are removed.",
            "--min-free counts inodes, too: as large a share of them must be free. A limit that "
                + "cannot be met is named (exit code 1); what even an empty cache would not leave "
                + "free deletes nothing.",
            "It deletes the cache's own files only, follows no links, does not go into what is "
                + "mounted below the cache, and never leaves the cache. It may run beside servers "
                + "and prefetches; a second prune of the same cache exits 75. What cannot be "
                + "looked at or deleted is named and skipped (exit code 1). A file that bears an "
                + "entry's name and has no seal, and an entry dated ahead of the clock, are named "
                + "and stay.",
            "When most of the cache looks expired or dated ahead at once, the clock is probably "
                + "wrong: then nothing is deleted for its age (exit code 1), unless --trust-clock "
                + "says that it is right, or prunes have run for a week without another jump.",
            "It prints entries examined and deleted, bytes freed and bytes left. With --dry-run, "
                + "standard output has the paths below the cache, one a line, and standard error "
                + "the rest. --json prints an object with examined, deleted, bytesFreed, "
                + "bytesLeft, entriesLeft, foreign (files that are not the cache's own), failed, "
                + "failures (objects with path and reason), leftAlone (the same, for what is named "
                + "and stays), clockDoubt (a sentence, or null), unmet (a sentence for each limit "
                + "that is not met) and dryRun; with --dry-run also paths.",
        ],
        options: [maxSize, maxEntries, minFree, trustClock, dryRun],
        sharedOptions: [
            SharedOptions.cacheDirectory, SharedOptions.maxAge, SharedOptions.json,
            SharedOptions.quiet, Command.help,
        ],
        examples: [
            (
                "20 4 * * *  onesheet prune --quiet --max-size 20G --min-free 2G",
                "Every night, from cron:"
            ),
            ("onesheet prune --max-age 7d --dry-run", "What would go:"),
        ],
        run: run, hasVariables: true)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        let policy = Prune.Policy(
            maxAge: try arguments.required(SharedOptions.maxAge, as: Age.self).duration,
            maxBytes: try arguments.value(maxSize, as: ByteSize.self)?.bytes,
            maxEntries: try arguments.value(maxEntries, as: EntryLimit.self)?.entries,
            minFreeBytes: try arguments.value(minFree, as: ByteSize.self)?.bytes,
            trustsClock: arguments.has(trustClock), isDryRun: arguments.has(dryRun))
        let isJSON = arguments.has(SharedOptions.json)
        var paths: [String] = []
        let directory = try SharedOptions.cacheDirectory(arguments)
        let summary = try Prune.run(directory, policy, now: .now()) { path in
            if policy.isDryRun { paths.append(path) }
        }
        let report = Report(arguments)
        if !summary.isComplete || !arguments.has(SharedOptions.quiet) {
            report.failures(summary.oddities.map(\.words), of: summary.oddityCount)
        }
        report.failures(summary.failures.map(\.message))
        report.failures(summary.clockDoubt.map { [$0.words] } ?? [])
        report.failures(summary.unmet.map(\.words))
        let exitCode: ExitCode = summary.isComplete ? .done : .someFailed
        guard policy.isDryRun, !isJSON else {
            try report.result(
                text(summary), json: json(summary, policy.isDryRun ? paths : nil),
                exitCode: exitCode)
            return exitCode
        }
        // The paths are the result, and for a program to read.
        let output = StandardOutput()
        for path in paths { try output.line(path) }
        try output.flush()
        report.warn("dry run: \(text(summary))")
        return exitCode
    }

    private static func text(_ summary: Prune.Summary) -> String {
        let foreign = summary.foreign == 0 ? "" : "; \(summary.foreign) foreign files left alone"
        return "\(summary.examined) examined, \(summary.deleted) deleted, "
            + "\(byteText(summary.bytesFreed)) freed, \(byteText(summary.bytesLeft)) left\(foreign)"
    }

    private static func json(_ summary: Prune.Summary, _ paths: [String]?) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("examined", .integer(summary.examined)), ("deleted", .integer(summary.deleted)),
            ("bytesFreed", .integer(summary.bytesFreed)),
            ("bytesLeft", .integer(summary.bytesLeft)),
            ("entriesLeft", .integer(summary.entriesLeft)), ("foreign", .integer(summary.foreign)),
            ("failed", .integer(summary.failures.count)),
            ("failures", .list(summary.failures.map(\.json))),
            ("leftAlone", .list(summary.oddities.map(\.json))),
            ("clockDoubt", .text(orNull: summary.clockDoubt?.words)),
            ("unmet", .list(summary.unmet.map { .text($0.words) })),
            ("dryRun", .bool(paths != nil)),
        ]
        if let paths { members.append(("paths", .list(paths.map { .text($0) }))) }
        return .object(members)
    }
}

extension FileError {
    /// For a report's list of failures.
    var json: JSONValue { .object(["path": .text(path), "reason": .text(message)]) }
}

/// A limit on entries: one at least, because none would empty the cache.
private struct EntryLimit: ArgumentValue {
    let entries: Int

    init(argument: String) throws(ValueError) {
        entries = try WholeNumber(argument: argument).value
        guard entries > 0 else { throw ValueError("it must be 1 or more") }
    }
}

extension Prune.Oddity {
    fileprivate var words: String { "left alone \(quoted(path)): \(explanation)" }

    fileprivate var json: JSONValue {
        .object(["path": .text(path), "reason": .text(explanation)])
    }

    private var explanation: String {
        switch reason {
        case .datedAhead: "it is dated more than a day ahead of the clock"
        case .unsealed: "it has no seal, so it may not be the cache's own"
        case .mounted: "another file system is mounted there"
        }
    }
}

extension Prune.ClockDoubt {
    fileprivate var words: String {
        let advice = "nothing was deleted for its age; --trust-clock says that the clock is right"
        switch self {
        case .behind(let entries, let all):
            return "\(entries) of \(all) entries are dated more than a day ahead of the clock, so "
                + advice
        case .ahead(let entries, let all):
            return "\(entries) of \(all) entries look expired at once, as if the clock had jumped "
                + "ahead, so \(advice)"
        }
    }
}

extension Prune.UnmetLimit {
    fileprivate var words: String {
        switch self {
        case .maxBytes(let left): "--max-size is not met: \(byteText(left)) are left"
        case .maxEntries(let left): "--max-entries is not met: \(left) entries are left"
        case .minFreeBytes(let free): "--min-free is not met: \(byteText(free)) are free"
        case .minFreeInodes(let free, let wanted):
            "--min-free is not met: \(free) inodes are free, not \(wanted)"
        }
    }
}
