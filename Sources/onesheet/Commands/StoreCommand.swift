import Amodb
import PosterKit
import PosterObjectStore

/// `onesheet store`: the object store that several nodes share.
enum StoreCommand {
    /// The one thing that it does so far.
    private static let check = "check"

    static let command = Command(
        name: "store", operands: check,
        summary: "tell whether a shared object store is set up well",
        details: [
            "Uses the store of --store as a node would, and prints a line for each of these: the "
                + "credentials, the bucket, an object that is written, read and deleted, the rule "
                + "by which old objects go, and the clock. Each is ok, bad, or unknown where it "
                + "could not be found out. Exit code 1 when any is bad.",
            "A store that has no rules for buckets, such as OpenStack Swift, is asked to delete an "
                + "object after a second, which takes some more.",
            "--json prints an object with store, endpoint, ok and findings (objects with subject, "
                + "verdict and detail).",
        ],
        options: [],
        sharedOptions: ObjectStoreOptions.all + [
            SharedOptions.maxAge, SharedOptions.json, SharedOptions.quiet, Command.help,
        ],
        examples: [
            (
                "onesheet store check --store s3://films/posters --store-region eu-west-1",
                "Before a node is started with it:"
            )
        ],
        run: run, operandChoices: [check])

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.operands == [check] else {
            throw Failure.usage("say what to do with the store: \(check)", see: "store")
        }
        guard let settings = try ObjectStoreOptions.settings(arguments) else {
            throw Failure.usage(
                "say which store: \(ObjectStoreOptions.store.spelling) s3://BUCKET/PREFIX",
                see: "store")
        }
        try SharedOptions.requireSigning()
        APIKey.hide()
        let findings = StoreCheck.run(
            settings, maxAge: try arguments.required(SharedOptions.maxAge, as: Age.self).duration)
        let isWell = !findings.contains { $0.verdict == .bad }
        let lines = findings.map { finding in
            let subject = finding.subject.rawValue
            let space = String(repeating: " ", count: max(0, 13 - subject.count))
            let gap = String(repeating: " ", count: max(0, 9 - finding.verdict.rawValue.count))
            return subject + space + finding.verdict.rawValue + gap + finding.detail
        }
        let exitCode: ExitCode = isWell ? .done : .someFailed
        try Report(arguments).result(
            lines.joined(separator: "\n"),
            json: .object([
                "store": .text(settings.location.description),
                "endpoint": .text(settings.endpoint.description), "ok": .bool(isWell),
                "findings": .list(
                    findings.map {
                        .object([
                            "subject": .text($0.subject.rawValue),
                            "verdict": .text($0.verdict.rawValue), "detail": .text($0.detail),
                        ])
                    }),
            ]), exitCode: exitCode)
        return exitCode
    }
}
