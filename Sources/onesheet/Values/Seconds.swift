/// A span in seconds, such as `2.5`, to a thousandth.
struct Seconds: ArgumentValue, Equatable {
    let duration: Duration

    init(argument: String) throws(ValueError) {
        let rule = "it must be a number of seconds from 0.1 to 600, such as 2.5"
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = WholeNumber.digits(parts[0]) else {
            throw ValueError(rule)
        }
        var milliseconds = whole * 1000
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), let digits = WholeNumber.digits(parts[1])
            else { throw ValueError(rule) }
            milliseconds += digits * [100, 10, 1][parts[1].utf8.count - 1]
        }
        guard (100...600_000).contains(milliseconds) else { throw ValueError(rule) }
        duration = .milliseconds(milliseconds)
    }
}
