/// An amount of bytes, such as `64M`: a whole number, perhaps with K, M, G or T for powers of
/// 1024.
struct ByteSize: ArgumentValue, Equatable {
    let bytes: Int

    init(argument: String) throws(ValueError) {
        let rule = "a size is a whole number of bytes, or one with K, M, G or T, such as 10G"
        var digits = argument[...]
        var shift = 0
        if let unit = argument.last, let exponent = Self.exponent(unit) {
            shift = 10 * exponent
            digits = digits.dropLast()
        }
        guard (1...18).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits)
        else { throw ValueError(rule) }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        guard !overflow else { throw ValueError("it is larger than any disk") }
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
