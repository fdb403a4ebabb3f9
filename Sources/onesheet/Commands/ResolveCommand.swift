import Amodb
import Glibc

/// `onesheet resolve`: poster paths in, image URLs out. No network, no disk.
enum ResolveCommand {
    private static let size = Option(
        name: "size", short: "s", placeholder: "SIZE", help: "w185, w342 or w500",
        standard: PosterSize.w342.rawValue, choices: PosterSize.allCases.map(\.rawValue))

    static let command = Command(
        name: "resolve", operands: "[PATH…]", summary: "print the image URL of poster paths",
        details: [
            "Prints the image URL of each poster path, one a line, in order. Without PATH, reads "
                + "paths from standard input, one a line.",
            "A poster path is what the API gives as poster_path: /NAME.EXT, with jpg, jpeg or png "
                + "as EXT. \"null\" and an empty one mean that there is no poster; they give an "
                + "empty line, so that the lines of input and output stay side by side. So does a "
                + "path that is refused, with a message and exit code 1.",
            "With --json, each line is an object with path, url (or null), and error where the "
                + "path is refused.",
        ],
        options: [size],
        sharedOptions: [
            SharedOptions.imageBase, SharedOptions.json, SharedOptions.quiet, Command.help,
        ],
        examples: [
            ("onesheet resolve --size w185 /AbCdEf.jpg", "One address:"),
            (
                "jq -r '.results[].poster_path' trending.json | onesheet resolve",
                "Those of a saved list:"
            ),
        ],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        var resolver = Resolver(
            base: try arguments.required(SharedOptions.imageBase),
            size: try arguments.required(size), isJSON: arguments.has(SharedOptions.json))
        let output = StandardOutput()
        if arguments.operands.isEmpty {
            var input = LineReader(file: STDIN_FILENO)
            while let lines = try input.next() {
                for line in lines { try output.line(resolver.line(for: line)) }
                // A user who types a line, and a pipe that sends one, get each answer at once.
                try output.flush()
            }
        } else {
            for path in arguments.operands { try output.line(resolver.line(for: path)) }
            try output.flush()
        }
        return resolver.refused == 0 ? .done : .someFailed
    }
}

/// Turns poster paths to lines of output, and counts those that it refuses.
private struct Resolver {
    let base: BaseURL
    let size: PosterSize
    let isJSON: Bool
    private(set) var refused = 0

    init(base: BaseURL, size: PosterSize, isJSON: Bool) {
        (self.base, self.size, self.isJSON) = (base, size, isJSON)
    }

    mutating func line(for value: String) -> String {
        do throws(PosterPathError) {
            let url = try PosterPath.parse(value).map { base.url(of: $0, size: size) }
            guard isJSON else { return url ?? "" }
            return JSONValue.object(["path": .text(value), "url": .text(orNull: url)]).description
        } catch {
            refused += 1
            tell("onesheet: \(error)")
            guard isJSON else { return "" }
            return JSONValue.object([
                "path": .text(value), "url": .null, "error": .text(error.description),
            ]).description
        }
    }
}
