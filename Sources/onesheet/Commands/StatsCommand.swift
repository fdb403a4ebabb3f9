import PosterBase
import PosterCache

/// `onesheet stats`: what the cache holds.
enum StatsCommand {
    static let command = Command(
        name: "stats", operands: "", summary: "show what the cache holds, by kind and size",
        details: [
            "Counts the entries of the cache by kind and size: how many there are, their bytes, "
                + "how many have expired, and the age of the oldest and the newest. It looks at "
                + "the files, not into them; verify does that.",
            "--json prints an object with directory, entries, bytes, expired, foreign (files that "
                + "are not the cache's own), temporary (files being written, or left by a crash), "
                + "rows (objects with name, entries, bytes, expired, and the times oldest and "
                + "newest in seconds since 1970), failed and failures (what could not be looked "
                + "at, which ends it with exit code 1).",
        ],
        options: [],
        sharedOptions: [
            SharedOptions.cacheDirectory, SharedOptions.maxAge, SharedOptions.json,
            SharedOptions.quiet, Command.help,
        ],
        examples: [
            ("onesheet stats --json | jq .bytes", "How large the cache is:")
        ],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        let directory = try SharedOptions.cacheDirectory(arguments)
        let now = Timestamp.now()
        let statistics = try Statistics.survey(
            directory,
            maxAge: try arguments.required(SharedOptions.maxAge, as: Age.self).duration, now: now)
        let report = Report(arguments)
        report.failures(statistics.failures.map(\.message))
        let exitCode: ExitCode = statistics.failures.isEmpty ? .done : .someFailed
        try report.result(
            table(statistics, directory, now), json: json(statistics, directory),
            exitCode: exitCode)
        return exitCode
    }

    private static func total(_ rows: [Statistics.Row]) -> (entries: Int, bytes: Int, expired: Int)
    {
        rows.reduce((0, 0, 0)) { ($0.0 + $1.entries, $0.1 + $1.bytes, $0.2 + $1.expired) }
    }

    private static func table(
        _ statistics: Statistics, _ directory: String, _ now: Timestamp
    ) -> String {
        var rows = [["", "entries", "bytes", "expired", "oldest", "newest"]]
        for row in statistics.rows {
            rows.append([
                row.name, String(row.entries), byteText(row.bytes), String(row.expired),
                row.oldest.map { ageText(now - $0) } ?? "",
                row.newest.map { ageText(now - $0) } ?? "",
            ])
        }
        let total = total(statistics.rows)
        rows.append([
            "total", String(total.entries), byteText(total.bytes), String(total.expired), "", "",
        ])
        return "\(directory)\n\n" + aligned(rows)
            + "\n\n\(statistics.foreign) foreign files, \(statistics.temporary) temporary files"
    }

    /// Columns as wide as their widest cell; the first to the left, the others to the right.
    private static func aligned(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let space = String(repeating: " ", count: widths[column] - cell.count)
                line += column == 0 ? cell + space : "  " + space + cell
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    private static func json(_ statistics: Statistics, _ directory: String) -> JSONValue {
        let total = total(statistics.rows)
        let rows = statistics.rows.map { row in
            JSONValue.object([
                "name": .text(row.name), "entries": .integer(row.entries),
                "bytes": .integer(row.bytes), "expired": .integer(row.expired),
                "oldest": row.oldest.map { .integer(Int($0.seconds)) } ?? .null,
                "newest": row.newest.map { .integer(Int($0.seconds)) } ?? .null,
            ])
        }
        return .object([
            "directory": .text(directory), "entries": .integer(total.entries),
            "bytes": .integer(total.bytes), "expired": .integer(total.expired),
            "foreign": .integer(statistics.foreign), "temporary": .integer(statistics.temporary),
            "rows": .list(rows), "failed": .integer(statistics.failures.count),
            "failures": .list(statistics.failures.map(\.json)),
        ])
    }
}
