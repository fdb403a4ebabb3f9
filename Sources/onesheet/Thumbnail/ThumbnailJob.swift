/// One input and where its thumbnail goes.
struct ThumbnailJob: Equatable {
    let input: String
    let output: String

    /// The jobs of a command line. `pattern` is a file for one input; for several it holds `%s`,
    /// which stands for the input's name without folder and ending (`%%`: a percent sign).
    ///
    /// Throws when two inputs would write one file. Looks at no file.
    static func plan(_ inputs: [String], _ pattern: String) throws(Failure) -> [ThumbnailJob] {
        func usage(_ message: String) -> Failure { .usage(message, see: "thumbnail") }
        guard !inputs.isEmpty else { throw usage("name at least one input") }
        guard let pieces = pieces(of: pattern) else {
            throw usage("-o \(quoted(pattern)): after % there must be s or another %")
        }
        guard inputs.count == 1 || pieces.count > 1 else {
            throw usage("-o \(quoted(pattern)): for several inputs it needs a %s in it")
        }
        var takenBy: [String: String] = [:]
        var jobs: [ThumbnailJob] = []
        for input in inputs {
            let output = pieces.joined(separator: stem(of: input))
            if let other = takenBy.updateValue(input, forKey: output) {
                throw usage(
                    "\(quoted(other)) and \(quoted(input)) would both be written to "
                        + quoted(output))
            }
            jobs.append(ThumbnailJob(input: input, output: output))
        }
        return jobs
    }

    /// The texts between the `%s` of a pattern; `nil` when a percent sign means nothing.
    private static func pieces(of pattern: String) -> [String]? {
        var (pieces, piece) = ([String](), "")
        var rest = pattern[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                piece.append(character)
                continue
            }
            switch rest.popFirst() {
            case "%": piece.append("%")
            case "s":
                pieces.append(piece)
                piece = ""
            default: return nil
            }
        }
        return pieces + [piece]
    }

    /// `posters/abc.tar.jpg` → `abc.tar`; a name that is all ending, `.jpg`, stays whole.
    private static func stem(of input: String) -> String {
        guard input != "-" else { return "stdin" }
        let name = input.split(separator: "/").last.map(String.init) ?? input
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
