import PosterHTTP

extension AddressRange: ArgumentValue {
    /// Reads an address, or a network in CIDR notation.
    init(argument: String) throws(ValueError) {
        guard let range = AddressRange(argument) else {
            throw ValueError(
                "a network is an address, or one with the number of its bits: 10.0.0.0/8")
        }
        self = range
    }
}
