import PosterCache

/// `onesheet verify`: every entry read, every seal checked.
enum VerifyCommand {
    private static let delete = Option(name: "delete", help: "delete the entries that are bad")

    static let command = Command(
        name: "verify", operands: "", summary: "check the seal of every entry",
        details: [
            "Reads every entry of the cache and checks its seal: that it is whole, unaltered, and "
                + "in its own place. Names the bad ones, and deletes them when asked to; they are "
                + "fetched or made again when they are wanted. A file that only bears an entry's "
                + "name and has no seal at all may be a user's own: it is named and stays. Exit code "
                + "1 when any is bad.",
            "--json prints an object with examined, bytes, bad, deleted, entries (objects with "
                + "path and reason), failed and failures (what could not be read or deleted).",
        ],
        options: [delete],
        sharedOptions: [
            SharedOptions.cacheDirectory, SharedOptions.json, SharedOptions.quiet, Command.help,
        ],
        examples: [("onesheet verify --delete", "After a disk gave errors:")],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        let progress = Progress("verify", style: Progress.style(for: arguments))
        defer { progress.end() }
        let directory = try SharedOptions.cacheDirectory(arguments)
        let summary = try Verification.run(directory, deletesBad: arguments.has(delete)) {
            progress.setTotal($1 ?? 0)
            progress.update(done: min($0.examined, $1 ?? .max), bytes: $0.bytes)
        }
        progress.end()
        let report = Report(arguments)
        report.failures(
            summary.bad.map { "bad entry \(quoted($0.path)): \(words($0.why))" }
                + summary.failures.map(\.message))
        let exitCode: ExitCode =
            summary.bad.isEmpty && summary.failures.isEmpty ? .done : .someFailed
        let deleted = arguments.has(delete) ? ", \(summary.deleted) deleted" : ""
        try report.result(
            "\(summary.examined) examined, \(byteText(summary.bytes)), \(summary.bad.count) bad"
                + deleted,
            json: .object([
                "examined": .integer(summary.examined), "bytes": .integer(summary.bytes),
                "bad": .integer(summary.bad.count), "deleted": .integer(summary.deleted),
                "entries": .list(
                    summary.bad.map {
                        .object(["path": .text($0.path), "reason": .text($0.why.rawValue)])
                    }),
                "failed": .integer(summary.failures.count),
                "failures": .list(summary.failures.map(\.json)),
            ]), exitCode: exitCode)
        return exitCode
    }

    private static func words(_ why: EntryFault) -> String {
        switch why {
        case .empty: "it is empty"
        case .torn: "it has no seal, or is cut short"
        case .body: "its bytes were altered"
        case .seal: "it has no whole seal"
        case .version: "its seal is of another version"
        case .key: "its seal belongs to another entry"
        case .foreign: "it is no file of the cache"
        }
    }
}
