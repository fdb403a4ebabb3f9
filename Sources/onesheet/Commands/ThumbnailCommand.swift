import Glibc
import PosterImages
import PosterKit

/// `onesheet thumbnail`: thumbnails of local files, without a cache.
enum ThumbnailCommand {
    private static let size = Option(
        name: "size", short: "s", placeholder: "WxH",
        help: "the box in pixels; 120x or x180 leaves a side to the picture's shape")
    private static let fit = Option(
        name: "fit", placeholder: "FIT",
        help: "cover: fill the box, crop the rest; contain: lie whole within it",
        standard: ThumbnailVariant.Fit.cover.rawValue,
        choices: ThumbnailVariant.Fit.allCases.map(\.rawValue))
    private static let quality = SharedOptions.quality
    private static let format = SharedOptions.format
    private static let output = Option(
        name: "output", short: "o", placeholder: "OUT",
        help: "a file, or a pattern with %s for the input's name without folder and ending; - is "
            + "standard output")

    static let command = Command(
        name: "thumbnail", operands: "IN…", summary: "make thumbnails of local files",
        details: [
            "Makes a thumbnail of each JPEG or PNG file, on all cores. The bytes decide what a "
                + "file is, not its name; one that is not whole, or over the limits, is refused, "
                + "and so is what is no file, such as a FIFO or a device. "
                + "A picture that is smaller than the box is not enlarged.",
            "OUT is replaced when its thumbnail is made, and not touched before; it may be none of "
                + "the inputs, and its name may not end in that of a format that is not written. "
                + "Folders must exist. IN may be -, standard input.",
            "One bad file does not stop the others: it is named, and the exit code is 1. When "
                + "there is only one, the exit code says what is wrong: 65 no usable image, 66 no "
                + "such file, 73 no such output.",
            "--json prints an object with made, failed, bytes, seconds and failures: objects with "
                + "input, output and reason.",
        ],
        options: [size, fit, quality, format, output],
        sharedOptions: [SharedOptions.json, SharedOptions.quiet, Command.help],
        examples: [
            ("onesheet thumbnail --size 120x180 -o small.jpg poster.jpg", "One:"),
            ("onesheet thumbnail --size 120x180 -o 'thumbs/%s.jpg' posters/*.jpg", "A folder:"),
        ],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let box = try arguments.value(size, as: Box.self) else {
            throw Failure.usage("say how large: --size WxH", see: "thumbnail")
        }
        guard let pattern = try arguments.value(output, as: String.self) else {
            throw Failure.usage("say where they go: -o OUT", see: "thumbnail")
        }
        if pattern == "-", arguments.has(SharedOptions.json) {
            throw Failure.usage(
                "--json needs -o OUT: the thumbnail takes standard output", see: "thumbnail")
        }
        let variant = try variant(box, arguments, pattern)
        let jobs = try ThumbnailJob.plan(arguments.operands, pattern)
        for job in jobs {
            try OutputName.check(
                job.output, holds: variant.format, isNamed: arguments.has(format), "thumbnail")
        }
        try refuseInputsAsOutputs(jobs)

        let started = ContinuousClock.now
        let progress = Progress(
            "thumbnail", style: jobs.count > 1 ? Progress.style(for: arguments) : .silent)
        let outcome = ThumbnailRun(
            jobs: jobs, variant: variant, interrupts: Interrupts(), progress: progress
        ).run()
        progress.end()
        if jobs.count == 1, let failure = outcome.failures.first?.failure,
            !arguments.has(SharedOptions.json)
        {
            throw failure
        }
        return try tell(outcome, jobs.count, .now - started, arguments)
    }

    private static func variant(
        _ box: Box, _ arguments: Arguments, _ pattern: String
    ) throws(Failure) -> ThumbnailVariant {
        let fit = try arguments.required(fit, as: ThumbnailVariant.Fit.self)
        let quality = try SharedOptions.quality(arguments)
        let format = try SharedOptions.format(arguments, output: pattern)
        do throws(ThumbnailVariantError) {
            return try ThumbnailVariant(
                width: box.width, height: box.height, fit: fit, quality: quality, format: format)
        } catch {
            throw .usage("--size \(quoted(box.description)): \(error)", see: "thumbnail")
        }
    }

    private static func tell(
        _ outcome: ThumbnailRun.Outcome, _ count: Int, _ duration: Duration,
        _ arguments: Arguments
    ) throws -> ExitCode {
        let exitCode: ExitCode =
            if let signal = outcome.signal {
                .stopped(signal: signal)
            } else if count == 1, let failure = outcome.failures.first?.failure {
                failure.exitCode
            } else {
                outcome.failures.isEmpty ? .done : .someFailed
            }
        let report = Report(arguments)
        report.failures(outcome.failures.map(\.failure.message))
        if arguments.has(SharedOptions.json) {
            try report.result("", json: json(outcome, duration), exitCode: exitCode)
        } else if count > 1 {
            let left = count - outcome.made - outcome.failures.count
            report.warn(
                "\(outcome.made) made, \(outcome.failures.count) failed"
                    + (left > 0 ? ", \(left) not begun" : "")
                    + "; \(byteText(outcome.bytes)) in \(timeText(duration.inSeconds))")
        }
        return exitCode
    }

    private static func json(
        _ outcome: ThumbnailRun.Outcome, _ duration: Duration
    ) -> JSONValue {
        .object([
            "made": .integer(outcome.made), "failed": .integer(outcome.failures.count),
            "bytes": .integer(outcome.bytes),
            "seconds": .decimal(duration.inSeconds, places: 3),
            "failures": .list(
                outcome.failures.map { job, failure in
                    .object([
                        "input": .text(job.input), "output": .text(job.output),
                        "reason": .text(failure.message),
                    ])
                }),
        ])
    }

    /// The thumbnail would take the original's place, perhaps before another is made of it.
    private static func refuseInputsAsOutputs(_ jobs: [ThumbnailJob]) throws(Failure) {
        let inputs = Set(jobs.compactMap { FileIdentity($0.input) })
        for job in jobs where FileIdentity(job.output).map(inputs.contains) == true {
            throw .usage("-o \(quoted(job.output)) is one of the inputs", see: "thumbnail")
        }
    }
}

/// A regular file, whatever it is called.
private struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` when there is no such file, or it is a device or pipe, which may be both.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
