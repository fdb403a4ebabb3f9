import PosterKit

/// `onesheet prune`: what has expired goes, and what was used longest ago while over a limit.
enum PruneCommand {
    private static let maxSize = Option(
        name: "max-size", placeholder: "SIZE",
        help: "the most that the cache may hold; a number, with K, M, G or T")
    private static let minFree = Option(
        name: "min-free", placeholder: "SIZE",
        help: "the least that must stay free on the cache's disk")
    private static let dryRun = Option(
        name: "dry-run", short: "n", help: "delete nothing; print the paths that would go")

    static let command = Command(
        name: "prune", operands: "", summary: "delete what has expired, and what is too much",
        details: [
            "Deletes from the cache what is older than the maximal age; then, while it holds more "
                + "than --max-size or the disk has less free than --min-free, what was used "
                + "longest ago; and temporary files that a crash left. A thumbnail has the age of "
                + "its poster, so they go together.",
            "It deletes the cache's own files only, follows no links and never leaves the cache. "
                + "It may run beside servers and prefetches; a second prune of the same cache "
                + "exits 75. What cannot be deleted is named and skipped (exit code 1).",
            "It prints entries examined and deleted, bytes freed and bytes left. With --dry-run, "
                + "standard output has the paths below the cache, one a line, and standard error "
                + "the rest. --json prints an object with examined, deleted, bytesFreed, "
                + "bytesLeft, foreign (files that are not the cache's own), failed, failures "
                + "(objects with path and reason) and dryRun; with --dry-run also paths.",
        ],
        options: [maxSize, minFree, dryRun],
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
            minFreeBytes: try arguments.value(minFree, as: ByteSize.self)?.bytes,
            isDryRun: arguments.has(dryRun))
        let isJSON = arguments.has(SharedOptions.json)
        var paths: [String] = []
        let directory = try SharedOptions.cacheDirectory(arguments)
        let summary = try Prune.run(directory, policy, now: .now()) { path in
            if policy.isDryRun { paths.append(path) }
        }
        let report = Report(arguments)
        report.failures(summary.failures.map(\.message))
        if let newest = summary.clockBehind {
            report.warn(
                "the newest entry is from \(HTTPDate.format(newest)), more than a day ahead of the "
                    + "clock: nothing was deleted for its age")
        }
        let exitCode: ExitCode = summary.failures.isEmpty ? .done : .someFailed
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
            ("bytesLeft", .integer(summary.bytesLeft)), ("foreign", .integer(summary.foreign)),
            ("failed", .integer(summary.failures.count)),
            ("failures", .list(summary.failures.map(\.json))), ("dryRun", .bool(paths != nil)),
        ]
        if let paths { members.append(("paths", .list(paths.map { .text($0) }))) }
        return .object(members)
    }
}

extension CacheError {
    /// For a report's list of failures.
    var json: JSONValue { .object(["path": .text(path), "reason": .text(message)]) }
}
