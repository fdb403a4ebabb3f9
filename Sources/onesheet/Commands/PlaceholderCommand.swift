import Amodb
import PosterImages
import PosterPlaceholders

/// `onesheet placeholder`: one placeholder, into a file.
enum PlaceholderCommand {
    private static let size = Option(
        name: "size", short: "s", placeholder: "SIZE",
        help: "w185, w342, w500, or WIDTHxHEIGHT in pixels", standard: PosterSize.w342.rawValue,
        choices: PosterSize.allCases.map(\.rawValue))
    private static let title = Option(
        name: "title", placeholder: "TEXT",
        help: "the text that it shows, up to 200 characters; without one it shows a film mark")
    private static let kind = Option(
        name: "kind", placeholder: "KIND",
        help: "missing: there is no poster; unavailable: it cannot be had just now",
        standard: PlaceholderRequest.Kind.missing.rawValue,
        choices: PlaceholderRequest.Kind.allCases.map(\.rawValue))
    private static let quality = SharedOptions.quality
    private static let format = SharedOptions.format
    private static let output = Option(
        name: "output", short: "o", placeholder: "FILE",
        help: "where it goes; - is standard output")

    static let command = Command(
        name: "placeholder", operands: "", summary: "draw one placeholder image",
        details: [
            "Draws what stands in for a poster that does not exist, or that cannot be had. The "
                + "same options give the same picture on the same machine. FILE is replaced.",
            "A PNG has 1.6 megapixels at most and a WebP 0.8, in the proportions of SIZE.",
            "--json prints an object with file, width, height, kind, format and bytes.",
        ],
        options: [size, title, kind, quality, format, output],
        sharedOptions: [SharedOptions.json, SharedOptions.quiet, Command.help],
        examples: [
            (
                "onesheet placeholder --size 240x360 --title \"Stalker\" -o stalker.png",
                "With a title:"
            )
        ],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        guard let file = try arguments.value(output, as: String.self) else {
            throw Failure.usage("say where it goes: -o FILE", see: "placeholder")
        }
        if file == "-", arguments.has(SharedOptions.json) {
            throw Failure.usage(
                "--json needs -o FILE: the picture takes standard output", see: "placeholder")
        }
        let request = try request(arguments, file).drawn
        let pool = PixelPool(threads: 1)
        let bytes = try pool.placeholder(request)
        pool.stop()
        try writeOutput(bytes, to: file)
        guard arguments.has(SharedOptions.json) else { return .done }
        try Report(arguments).result(
            "",
            json: .object([
                "file": .text(file), "width": .integer(request.width),
                "height": .integer(request.height),
                "kind": .text(request.kind.rawValue), "format": .text(request.format.rawValue),
                "bytes": .integer(bytes.count),
            ]), exitCode: .done)
        return .done
    }

    private static func request(
        _ arguments: Arguments, _ file: String
    ) throws(Failure) -> PlaceholderRequest {
        let size = try arguments.required(size, as: PictureSize.self)
        let kind = try arguments.required(kind, as: PlaceholderRequest.Kind.self)
        let title = try arguments.value(title, as: String.self)
        let format = try SharedOptions.format(arguments, output: file)
        try OutputName.check(
            file, holds: format, isNamed: arguments.has(Self.format), "placeholder")
        let quality = try SharedOptions.quality(arguments)
        do throws(PlaceholderRequestError) {
            return try PlaceholderRequest(
                width: size.width, height: size.height, kind: kind, title: title,
                seed: title ?? "", format: format, quality: quality)
        } catch {
            let option =
                switch error {
                case .size: "--size"
                case .titleLength: "--title"
                }
            throw .usage("\(option): \(error)", see: "placeholder")
        }
    }
}
