import Amodb
import PosterImages
import PosterKit
import PosterLists
import PosterObjectStore

/// `onesheet prefetch`: the posters of lists, into the cache.
enum PrefetchCommand {
    private static let list = Option(
        name: "list", short: "l", placeholder: "LIST",
        help: "a list of the API, by its path; may be given again for more",
        standard: "trending/movie/week", isRepeatable: true,
        choices: [
            "trending/movie/week", "trending/movie/day", "trending/tv/week", "trending/tv/day",
        ])
    private static let language = Option(
        name: "language", placeholder: "TAG",
        help: "the language of the lists, such as pt-BR, passed on as it is; posters differ by it",
        standard: ListRequest.defaultLanguage)
    private static let pages = Option(
        name: "pages", placeholder: "N", help: "how many pages of each list, 20 films a page",
        standard: "1")
    private static let sizes = Option(
        name: "sizes", short: "s", placeholder: "SIZE,…", help: "of w185, w342 and w500",
        standard: PosterSize.w342.rawValue,
        choices: PosterSize.allCases.map(\.rawValue))
    private static let thumbs = Option(
        name: "thumbs", short: "t", placeholder: "WxH,…",
        help: "thumbnails to make, in pixels, as /thumb/WxH/ serves them")
    private static let from = Option(
        name: "from", placeholder: "FILE",
        help: "instead of a list: poster paths, one a line, or a saved list in JSON; - is "
            + "standard input")
    private static let through = Option(
        name: "through", placeholder: "URL",
        help: "a front with nodes behind it, which is asked for the pictures instead of the image "
            + "host, so that each gets to its node")
    private static let concurrency = SharedOptions.concurrency
    private static let rate = SharedOptions.rate

    static let command = Command(
        name: "prefetch", operands: "", summary: "fill the cache with the posters of a list",
        details: [
            "Fills the cache with the posters of a list, so that they are there when they are "
                + "asked for. What is cached and fresh is not asked for again: it can be stopped "
                + "with Ctrl-C at any time, and goes on from there when it is run again.",
            "Lists need the API's key, in the variable AMODB_KEY or in a file that AMODB_KEY_FILE "
                + "names. --from needs none.",
            "At the end it prints a summary: posters fetched, fresh already, found unchanged "
                + "upstream (revalidated), films without a poster, posters not found, and those "
                + "that failed, with reasons. A pause that the image host asks for is waited out, "
                + "30 s at most and twice at most; a longer one ends it with exit code 75.",
            "With --through the nodes fetch and keep the pictures; nothing but lists is kept here. "
                + "A poster that a node had, on its disk or in the nodes' store, counts as fresh.",
            "--json prints an object with fetched, fresh, revalidated, noPoster, notFound, "
                + "failed, thumbnails, thumbnailsFresh, bytes, seconds, endedEarly (null, or why), "
                + "failures (objects with path, rendition, reason and detail) and tints (the "
                + "colour that stands for each poster while it loads, by its path).",
            "Exit codes: 0 done, 1 some failed, 69 no list or no image host, 75 rate limited past "
                + "its patience, 77 the key is refused, 130 stopped by Ctrl-C.",
        ],
        options: [
            list, language, pages, from, sizes, thumbs, through, concurrency, rate,
            SharedOptions.apiRate, SharedOptions.listCache,
        ],
        sharedOptions: SharedOptions.lists,
        examples: [
            ("onesheet prefetch --sizes w342,w500 --thumbs 60x90,120x180", "This week's trends:"),
            (
                "onesheet prefetch -l movie/popular -l tv/popular --pages 5 --quiet",
                "A hundred popular films and series, from cron:"
            ),
            (
                "onesheet prefetch --from trending.json",
                "The posters of a saved list, no key needed:"
            ),
            (
                "onesheet prefetch --through https://posters.example --thumbs 120x180",
                "Once for all nodes behind a front:"
            ),
        ],
        run: run, hasVariables: true)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        let readsFile = try readsFile(arguments)
        var configuration = try SharedOptions.configuration(arguments)
        try SharedOptions.requireHTTPClient()
        configuration.concurrency = try SharedOptions.concurrency(arguments)
        configuration.requestsPerSecond = try arguments.number(rate, in: 0...100_000)
        // Every picture is looked at once.
        configuration.memoryBytes = 0
        if arguments.has(through) {
            // The nodes have one; what is asked for here does not pass through it.
            configuration.objectStore = nil
        }
        let plan = PrefetchPlan(
            sizes: try arguments.required(sizes, as: CommaList<PosterSize>.self).elements,
            variants: try variants(arguments), namesPosters: !arguments.has(through))

        let started = ContinuousClock.now
        let interrupts = Interrupts()
        let isQuiet = arguments.has(SharedOptions.quiet)
        let progress = Progress("prefetch", style: Progress.style(for: arguments))
        defer { progress.end() }

        var selection = PosterSelection()
        let listError = try select(
            arguments, readsFile, &configuration, &selection, interrupts, progress)
        var report = PrefetchReport()
        if let listError, listError.exitCode == .keyRefused {
            report.cause = .list(listError)
        } else {
            let log = progress.log(isQuiet: isQuiet)
            func run(_ source: PrefetchSource) -> PrefetchReport {
                var prefetch = PrefetchRun(source, plan, selection, progress, isQuiet: isQuiet)
                return prefetch.run(until: interrupts)
            }
            if let url = try arguments.value(through, as: BaseURL.self) {
                let front = FleetClient(
                    url, concurrency: configuration.concurrency,
                    perSecond: configuration.requestsPerSecond, caFile: configuration.caFile,
                    cacheDirectory: configuration.cacheDirectory, log: log)
                report = run(PrefetchSource(front, concurrency: configuration.concurrency))
            } else {
                let store = try PosterStore(configuration, log: log)
                report = run(PrefetchSource(store))
                finish(&report, store, selection, arguments, interrupts)
            }
            if report.cause == nil, let listError { report.cause = .list(listError) }
        }
        report.duration = .now - started
        progress.end()
        try tell(report, arguments)
        return report.exitCode
    }

    private static func finish(
        _ report: inout PrefetchReport, _ store: PosterStore, _ selection: PosterSelection,
        _ arguments: Arguments, _ interrupts: Interrupts
    ) {
        let isStopped = interrupts.signal != nil
        report.isShared = store.finishSharing(within: isStopped ? .milliseconds(200) : sharingLimit)
        // They take a decode each: not where the user wants it to end.
        guard arguments.has(SharedOptions.json), !isStopped else { return }
        report.tints = selection.paths.compactMap { path in
            store.tint(of: path).map { (path, $0) }
        }
    }

    private static func tell(_ report: PrefetchReport, _ arguments: Arguments) throws {
        let output = Report(arguments)
        output.failures(report.failures.map(\.text))
        if !report.isShared {
            output.warn("not all of it was written to the shared store in time")
        }
        if let message = report.endingMessage { onesheet.tell("onesheet: \(message)") }
        // Where not even a list was had, the reason says all.
        if report.cause != nil, report.isEmpty, !arguments.has(SharedOptions.json) { return }
        try output.result(report.summary, json: report.json, exitCode: report.exitCode)
    }

    /// Whether --from says what is wanted, and not --list. A typed one wins over a variable.
    private static func readsFile(_ arguments: Arguments) throws(Failure) -> Bool {
        guard arguments.has(from) else { return false }
        guard arguments.has(list) else { return true }
        guard arguments.isTyped(from) != arguments.isTyped(list) else {
            let exitCode: ExitCode = arguments.isTyped(from) ? .usage : .configuration
            throw Failure(exitCode, "--list and --from exclude each other", see: "prefetch")
        }
        return arguments.isTyped(from)
    }

    /// Finds out which posters are wanted. Returns why a list could not be had.
    private static func select(
        _ arguments: Arguments, _ readsFile: Bool, _ configuration: inout Configuration,
        _ selection: inout PosterSelection, _ interrupts: Interrupts, _ progress: Progress
    ) throws -> ListError? {
        if readsFile, let file = try arguments.value(from, as: String.self) {
            let bytes = try readInput(file, limit: fileLimit)
            do throws(FilmListError) { try selection.add(file: bytes) } catch {
                throw Failure(.badData, "\(quoted(file)) is \(error)")
            }
            return nil
        }
        try SharedOptions.setLists(&configuration, arguments)
        configuration.apiKey = try APIKey.read(arguments.environment)
        APIKey.hide()
        let isQuiet = arguments.has(SharedOptions.quiet)
        // What the list store would log comes back as an error, and is told as such.
        let walk = ListWalk(
            lists: try arguments.values(list), language: try arguments.value(language),
            pages: try arguments.number(pages, in: 1...500),
            store: try ListStore(configuration, log: .silent), interrupts: interrupts
        ) { list, error in
            guard !isQuiet else { return }
            progress.tellAbove("onesheet: \(error); an older answer to \(quoted(list)) stands in")
        }
        return try walk.run(into: &selection)
    }

    /// How long the end waits for what the shared store is to have: one object's limit.
    private static let sharingLimit = Duration.seconds(10)

    /// Two million paths: more are given in parts.
    private static let fileLimit = 64 << 20

    private static func variants(_ arguments: Arguments) throws(Failure) -> [ThumbnailVariant] {
        var variants: [ThumbnailVariant] = []
        for box in try arguments.value(thumbs, as: CommaList<Box>.self)?.elements ?? [] {
            if arguments.has(through), box.width == nil || box.height == nil {
                throw .usage(
                    "--thumbs \(quoted(box.description)): --through needs both sides",
                    see: "prefetch")
            }
            do throws(ThumbnailVariantError) {
                variants.append(try ThumbnailVariant(width: box.width, height: box.height))
            } catch {
                throw .usage("--thumbs \(quoted(box.description)): \(error)", see: "prefetch")
            }
        }
        return variants
    }
}
