/// How long something stays good, such as `30d`: a whole number and one of s, m, h, d, w.
struct Age: ArgumentValue, Equatable {
    let duration: Duration

    /// The longest that is taken, a hundred years: sums of times must not overflow.
    private static let limitSeconds = 5200 * 7 * 86_400

    init(argument: String) throws(ValueError) {
        let rule = "an age is a whole number and a unit, s, m, h, d or w, such as 30d"
        // Nothing is nothing in any unit.
        if argument == "0" {
            duration = .zero
            return
        }
        guard let unit = argument.last.flatMap(Self.seconds),
            let number = WholeNumber.digits(argument.dropLast())
        else { throw ValueError(rule) }
        guard number * unit <= Self.limitSeconds else {
            throw ValueError("an age is 5200w at most")
        }
        duration = .seconds(number * unit)
    }

    private static func seconds(_ unit: Character) -> Int? {
        switch unit {
        case "s": 1
        case "m": 60
        case "h": 3600
        case "d": 86_400
        case "w": 7 * 86_400
        default: nil
        }
    }
}
