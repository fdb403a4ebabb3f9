import Amodb
import PosterBase
import PosterKit

/// `onesheet get`: one poster, out of the cache or from upstream.
enum GetCommand {
    private static let size = Option(
        name: "size", short: "s", placeholder: "SIZE", help: "w185, w342 or w500",
        standard: PosterSize.w342.rawValue, choices: PosterSize.allCases.map(\.rawValue))
    private static let output = Option(
        name: "output", short: "o", placeholder: "FILE",
        help: "where the poster goes; - is standard output", standardNote: "standard output")
    private static let placeholder = Option(
        name: "placeholder", help: "write a placeholder when there is no poster")

    static let command = Command(
        name: "get", operands: "PATH", summary: "write one verified poster to a file",
        details: [
            "Writes the poster of a path, byte for byte what upstream sent, from the cache or "
                + "from upstream. It is decoded whole before it counts. FILE is replaced when the "
                + "poster is there, and not touched before.",
            "When there is no poster, or it cannot be had, nothing is written and the exit code "
                + "is 69, or 75 when upstream asks for patience. An expired poster that upstream "
                + "cannot renew just now is written, with a warning.",
            "--json, with a FILE, prints an object with path, size, file, bytes, format, state "
                + "(fresh, stale, derived or placeholder), ageSeconds and isStored.",
        ],
        options: [size, output, placeholder],
        sharedOptions: SharedOptions.store,
        examples: [
            ("onesheet get --size w500 -o poster.jpg /AbCdEf.jpg", "One poster:"),
            ("onesheet get /AbCdEf.jpg | file -", "What it is:"),
        ],
        run: run)

    /// How long the end waits for what the shared store is to have.
    private static let sharingLimit = Duration.seconds(3)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.operands.count == 1 else {
            throw Failure.usage("get takes one poster path", see: "get")
        }
        let file = try arguments.value(output, as: String.self)
        if file == nil, StandardOutput.isTerminal {
            throw Failure.usage("an image is nothing for a terminal; give -o FILE", see: "get")
        }
        if arguments.has(SharedOptions.json), file == nil || file == "-" {
            throw Failure.usage(
                "--json needs -o FILE: the poster takes standard output", see: "get")
        }
        let path = try PosterPath.parse(arguments.operands[0])
        let size = try arguments.required(size, as: PosterSize.self)
        let request = PosterRequest(
            path, .poster(size), drawsPlaceholder: arguments.has(placeholder))

        var configuration = try SharedOptions.configuration(arguments)
        configuration.memoryBytes = 0
        let report = Report(arguments)
        let log = Progress("get", style: .silent).log(isQuiet: true)
        APIKey.hide()
        let store = try PosterStore(configuration, log: log)
        let given = answer(to: request, store)
        // What is written to the shared store is written beside the answer.
        defer { store.finishSharing(within: sharingLimit) }
        let state = try judge(given, request, report)
        // What could not be had was thrown; what is left has a picture.
        guard let picture = given.picture else { throw unavailability(of: given) }
        try writeOutput(picture.bytes, to: file ?? "-")
        if arguments.has(SharedOptions.json) {
            let ageSeconds: JSONValue = given.ageSeconds.map { .integer($0) } ?? .null
            let json = JSONValue.object([
                "path": .text(arguments.operands[0]), "size": .text(size.rawValue),
                "file": .text(orNull: file), "bytes": .integer(picture.bytes.count),
                "format": .text(picture.format.rawValue), "state": .text(state),
                "ageSeconds": ageSeconds, "isStored": .bool(given.isStored),
            ])
            try report.result("", json: json, exitCode: .done)
        }
        return .done
    }

    private static func answer(to request: PosterRequest, _ store: PosterStore) -> Answer {
        let slot = Monitor<Answer?>(nil)
        store.answer(request, by: nil) { answer in
            slot.withLock { $0 = answer }
            slot.notifyAll()
        }
        return slot.wait { $0 }
    }

    /// Names what is written. Throws what was not asked for.
    private static func judge(
        _ answer: Answer, _ request: PosterRequest, _ report: Report
    ) throws -> String {
        switch answer.state {
        case .fresh: return "fresh"
        case .staleIfError(let error):
            report.warn("this is the poster as it was \(age(answer)) ago; upstream fails: \(error)")
            return "stale"
        case .derived(let error):
            guard request.drawsPlaceholder else { throw error }
            report.warn("this was made from another size of the poster: \(error)")
            return "derived"
        case .absent(let unavailability):
            guard request.drawsPlaceholder else { throw unavailability }
            report.warn("this is a placeholder: \(unavailability)")
            return "placeholder"
        }
    }

    private static func age(_ answer: Answer) -> String {
        ageText(.seconds(answer.ageSeconds ?? 0))
    }

    private static func unavailability(of answer: Answer) -> any Error {
        if case .absent(let unavailability) = answer.state { return unavailability }
        return Failure(.software, "there is no picture in the answer")
    }
}
