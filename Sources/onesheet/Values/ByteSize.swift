/// An amount of bytes, such as `64M`: a whole number, perhaps with K, M, G or T for powers of
/// 1024. One below 1M needs its unit: `20` was meant to be `20G`, and would empty a cache.
struct ByteSize: ArgumentValue, Equatable {
    let bytes: Int

    /// Less than this needs a unit.
    private static let leastPlain = 1 << 20

    init(argument: String) throws(ValueError) {
        let rule = "a size is a whole number of bytes, or one with K, M, G or T, such as 10G"
        var digits = argument[...]
        var shift = 0
        if let unit = argument.last, let exponent = Self.exponent(unit) {
            shift = 10 * exponent
            digits = digits.dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw ValueError(rule)
        }
        guard let number = Int(digits) else { throw ValueError("it is larger than any disk") }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        guard !overflow else { throw ValueError("it is larger than any disk") }
        guard shift > 0 || bytes >= Self.leastPlain else {
            throw ValueError("a size below 1M needs a unit: K, M, G or T, such as 10G")
        }
        self.bytes = bytes
    }

    /// Of 1024.
    private static func exponent(_ unit: Character) -> Int? {
        switch unit {
        case "K", "k": 1
        case "M", "m": 2
        case "G", "g": 3
        case "T", "t": 4
        default: nil
        }
    }
}

/// As ``ByteSize``, for what may be switched off by a plain 0.
struct ByteSizeOrNone: ArgumentValue, Equatable {
    let bytes: Int

    init(argument: String) throws(ValueError) {
        bytes = argument == "0" ? 0 : try ByteSize(argument: argument).bytes
    }
}
