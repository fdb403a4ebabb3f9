/// The command line of the stand-in.
struct Arguments: Equatable {
    static let usage = """
        usage: FixtureOrigin [--fixtures DIR] [--port N] [--key KEY] [--latency-ms N]

        A stand-in for the image host and the list API on 127.0.0.1, for tests and the demo.

          --fixtures DIR    folder with posters/, odd/ and api/ (default: fixtures)
          --port N          port to listen on (default: 0, which picks one)
          --key KEY         Bearer token that the list API asks for (default: fixture-key)
          --latency-ms N    milliseconds that every answer takes at least (default: 0)
          -h, --help        this text

        It prints one line when it listens, and ends on SIGTERM or SIGINT. Below /_origin/ it
        takes orders: GET requests, log, faults; PUT and DELETE faults?path=P&fault=NAME,
        holds?path=P; POST reset. P may end in * for every path with that beginning.

        """

    var fixtures = "fixtures"
    var port: UInt16 = 0
    var key = "fixture-key"
    var latency = Duration.zero
    var wantsHelp = false

    /// Reads `--name value` and `--name=value`; `words` is without the program's name.
    init(_ words: [String]) throws(OriginError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "-h" || word == "--help" {
                wantsHelp = true
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard ["--fixtures", "--port", "--key", "--latency-ms"].contains(name) else {
                throw .usage("unknown argument \(word)")
            }
            let attached = name == word ? nil : String(word.dropFirst(name.count + 1))
            guard let value = attached ?? rest.popFirst() else {
                throw .usage("\(name) needs a value")
            }
            try set(name, to: value)
        }
    }

    private mutating func set(_ name: String, to value: String) throws(OriginError) {
        switch name {
        case "--fixtures":
            fixtures = value
        case "--key":
            key = value
        case "--port":
            guard let number = UInt16(value) else {
                throw .usage("--port takes a number from 0 to 65535, not \(value)")
            }
            port = number
        default:
            guard let number = Int(value), (0...60_000).contains(number) else {
                throw .usage("--latency-ms takes a number from 0 to 60000, not \(value)")
            }
            latency = .milliseconds(number)
        }
    }
}
