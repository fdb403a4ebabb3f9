import Amodb
import Glibc
import PosterBase
import PosterHTTP
import PosterKit
import PosterLists
import PosterObjectStore
import PosterServer

/// `onesheet serve`: posters, thumbnails, placeholders and lists over HTTP.
enum ServeCommand {
    private static let listen = Option(
        name: "listen", short: "l", placeholder: "ADDR:PORT",
        help: "where to listen, by a numeric address; port 0 picks one",
        standard: "127.0.0.1:8600")
    private static let memory = Option(
        name: "memory", placeholder: "BYTES",
        help: "how many bytes of pictures are kept in memory; may end in K, M or G; 0: none",
        standard: "64M")
    private static let deadline = Option(
        name: "deadline", placeholder: "SECONDS",
        help: "how long a client waits for a picture before it gets a placeholder",
        standard: "2.5")
    private static let cors = Option(
        name: "cors", placeholder: "ORIGIN",
        help: "the origin whose pages' scripts may read the answers, or *")
    private static let clients = Option(
        name: "clients", placeholder: "FILE",
        help:
            "who may use the list API's relay: a token a line, sent as Authorization: Bearer or as "
            + "api_key; else everybody may")
    private static let publicURL = Option(
        name: "public-url", placeholder: "URL",
        help: "where clients reach this service; else at the host that each request names",
        environment: ["ONESHEET_PUBLIC_URL"])
    private static let sizesAllowed = Option(
        name: "sizes-allowed", placeholder: "WxH,…",
        help: "the only boxes, in pixels, that thumbnails may have; else any")
    private static let qualitiesAllowed = Option(
        name: "qualities-allowed", placeholder: "Q,…",
        help: "the only qualities beside 82 that thumbnails may have; else any, and with "
            + "--sizes-allowed none")
    private static let connections = Option(
        name: "connections", placeholder: "N",
        help: "connections at once; more wait until one ends", standard: "4096")
    private static let perClient = Option(
        name: "connections-per-client", placeholder: "N",
        help: "connections at once from one address, trusted proxies left out; 0: any number",
        standard: "0")
    private static let trustedProxy = Option(
        name: "trusted-proxy", placeholder: "CIDR,…",
        help:
            "addresses or networks of the proxies in front, whose X-Forwarded-For names the client",
        environment: ["ONESHEET_TRUSTED_PROXY"], isRepeatable: true)
    private static let accessLog = Option(
        name: "access-log", placeholder: "FILE",
        help: "where to append a line for each request; -: standard error")
    private static let logFormat = Option(
        name: "access-log-format", placeholder: "FORMAT",
        help: "how such a line is written: logfmt or json", standard: "logfmt")

    static let command = Command(
        name: "serve", operands: "", summary: "serve posters, thumbnails and lists over HTTP",
        details: [
            "Serves over HTTP until it is stopped. When it is ready it prints one line, "
                + "\"onesheet serving http://ADDR:PORT\", to standard output. SIGTERM and SIGINT "
                + "stop it: it takes no new connections, finishes what is under way for 10 s at "
                + "most, and exits 0. SIGHUP rereads the files of --clients, AMODB_KEY_FILE and "
                + "--store-credentials, and reopens the one of --access-log.",
            """
              /t/p/{size}/{file}           a poster, as the image host has it
              /thumb/{W}x{H}/{file}        a thumbnail; ?fit= dpr= q= format=
              /placeholder/{W}x{H}         a placeholder; ?title= kind= dpr= format=
              /3/…                         the list API, with the key added
              /                            this week's trending films
              /healthz  /readyz  /metrics  for operators
            """,
            "The relay and the page need the API's key, in the variable AMODB_KEY or in a file "
                + "that AMODB_KEY_FILE names; everything else needs none. systemd's socket "
                + "activation and readiness are understood.",
        ],
        options: [
            listen, SharedOptions.concurrency, SharedOptions.rate, SharedOptions.apiRate,
            SharedOptions.listCache, memory, deadline, cors, clients, publicURL, sizesAllowed,
            qualitiesAllowed, connections, perClient, trustedProxy, accessLog, logFormat,
        ],
        sharedOptions: SharedOptions.lists,
        examples: [
            ("onesheet serve --listen 127.0.0.1:8600", "Behind a front such as nginx:"),
            (
                "onesheet serve --listen [::]:8600 --clients tokens --cors https://app.example",
                "For an app's users:"
            ),
        ],
        run: run, hasVariables: true)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        var configuration = try SharedOptions.configuration(arguments)
        try SharedOptions.setLists(&configuration, arguments)
        configuration.concurrency = try SharedOptions.concurrency(arguments)
        configuration.requestsPerSecond = try arguments.number(SharedOptions.rate, in: 0...100_000)
        configuration.memoryBytes = try arguments.required(memory, as: ByteSizeOrNone.self).bytes
        configuration.apiKey = try APIKey.read(arguments.environment)
        let manager = ServiceManager(arguments.environment)
        var serving = try serverConfiguration(arguments, manager)
        let errors = LineQueue.standardError
        let log = Log(errors, isQuiet: arguments.has(SharedOptions.quiet))
        let requestLog = try openRequestLog(arguments, for: &serving, errors)
        try SharedOptions.requireHTTPClient()
        let keyFile = APIKey.file(arguments.environment)
        APIKey.hide()
        DescriptorLimit.raise()

        let serverInPlace = Monitor<Server?>(nil)
        let listsInPlace = Monitor<ListStore?>(nil)
        let storeInPlace = Monitor<PosterStore?>(nil)
        let interrupts = Interrupts(onHangup: {
            requestLog?.reopen()
            rereadClients(arguments, serverInPlace.withLock { $0 })
            rereadKey(keyFile, listsInPlace.withLock { $0 })
            rereadStoreKeys(arguments, storeInPlace.withLock { $0 })
        })
        let store = try PosterStore(configuration, log: log)
        let lists = ListStore(beside: store, log: log)
        let server = try Server(serving, store: store, lists: lists, log: log)
        serverInPlace.withLock { $0 = server }
        listsInPlace.withLock { $0 = lists }
        storeInPlace.withLock { $0 = store }

        let address = ListenAddress(host: serving.listen.host, port: server.port)
        try Report(arguments).result(
            "onesheet serving http://\(address)",
            json: .object(["serving": .text("http://\(address)")]), exitCode: .done)
        manager.notify("READY=1")

        _ = interrupts.waitForSignal()
        manager.notify("STOPPING=1")
        Shutdown(server: server, store: store, lists: lists).run()
        requestLog?.finish(within: .milliseconds(250))
        errors.finish(within: .milliseconds(250))
        return .done
    }

    private static func serverConfiguration(
        _ arguments: Arguments, _ manager: ServiceManager
    ) throws -> ServerConfiguration {
        var serving = ServerConfiguration()
        serving.listen = try arguments.required(listen)
        serving.inheritedSocket = try manager.inheritedSocket()
        serving.deadline = try arguments.required(deadline, as: Seconds.self).duration
        serving.corsOrigin = try arguments.value(cors, as: Origin.self)?.text
        serving.publicURL = try arguments.value(publicURL, as: BaseURL.self)
        if let file = try arguments.value(clients, as: String.self) {
            serving.clientTokens = try ClientsFile.read(file)
        }
        if let boxes = try arguments.value(sizesAllowed, as: CommaList<Box>.self) {
            serving.allowedBoxes = Set(
                boxes.elements.map { AllowedBox(width: $0.width, height: $0.height) })
        }
        if let qualities = try arguments.value(qualitiesAllowed, as: CommaList<Quality>.self) {
            serving.allowedQualities = Set(qualities.elements.map(\.value))
        }
        serving.connectionLimit = try arguments.number(connections, in: 2...1_000_000)
        let perClient = try arguments.number(perClient, in: 0...1_000_000)
        serving.connectionsPerClient = perClient == 0 ? nil : perClient
        serving.trustedProxies = try arguments.values(
            trustedProxy, as: CommaList<AddressRange>.self
        ).flatMap(\.elements)
        return serving
    }

    private static func rereadKey(_ file: String?, _ lists: ListStore?) {
        guard let file else { return }
        do {
            lists?.replaceKey(try APIKey.read(file: file))
            Log(.standardError)(.info, "key_reread", [:])
        } catch {
            // The key that was good stays in force.
            Log(.standardError)(.error, "key_not_reread", ["reason": "\(error)"])
        }
    }

    private static func rereadStoreKeys(_ arguments: Arguments, _ store: PosterStore?) {
        do {
            guard let file = try ObjectStoreOptions.credentialsFile(arguments) else { return }
            store?.replaceStoreCredentials(try ObjectStoreOptions.read(file: file))
            Log(.standardError)(.info, "store_keys_reread", [:])
        } catch {
            // Those that were good stay in force.
            Log(.standardError)(.error, "store_keys_not_reread", ["reason": "\(error.message)"])
        }
    }

    private static func openRequestLog(
        _ arguments: Arguments, for serving: inout ServerConfiguration, _ errors: LineQueue
    ) throws -> RequestLog? {
        let format = try arguments.required(logFormat, as: AccessLog.Format.self)
        guard let path = try arguments.value(accessLog, as: String.self) else { return nil }
        let log = try RequestLog(
            path, for: accessLog.spelling, errors: errors, log: Log(errors))
        serving.accessLog = AccessLog(format) { log.append($0) }
        return log
    }

    private static func rereadClients(_ arguments: Arguments, _ server: Server?) {
        do {
            guard let file = try arguments.value(clients, as: String.self) else { return }
            let tokens = try ClientsFile.read(file)
            server?.replaceClientTokens(tokens)
            Log(.standardError)(.info, "clients_reread", ["tokens": String(tokens.count)])
        } catch {
            // The tokens that were good stay in force.
            Log(.standardError)(.error, "clients_not_reread", ["reason": "\(error)"])
        }
    }
}

extension LineQueue {
    /// That of standard error.
    fileprivate static let standardError: LineQueue = {
        LineQueue(STDERR_FILENO) { lost in
            Log.standardError(.warn, "log_lines_lost", ["lines": String(lost)])
        }
    }()
}

extension Log {
    /// Standard error, which holds up nothing where it takes nothing. `isQuiet`: only what is not as
    /// it should be.
    fileprivate init(_ errors: LineQueue, isQuiet: Bool = false) {
        self.init { level, line in
            if !isQuiet || level != .info { errors.append(line) }
        }
    }
}
