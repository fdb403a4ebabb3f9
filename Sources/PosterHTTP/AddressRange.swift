/// A network of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8`, `fd00::/8`, or one
/// address.
public struct AddressRange: Hashable, Sendable {
    private let network: SIMD16<UInt8>
    private let mask: SIMD16<UInt8>

    /// Reads `ADDRESS` or `ADDRESS/BITS`; bits of the address beyond the network's are ignored.
    /// `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = ClientAddress(parts[0]) else { return nil }
        let most = address.isIPv4 ? 32 : 128
        var bits = most
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(parts[1]), number <= most
            else { return nil }
            bits = number
        }
        // An IPv4 address is the end of an IPv6 address.
        bits += 128 - most
        var mask = SIMD16<UInt8>()
        for index in 0..<16 {
            let left = min(8, max(0, bits - index * 8))
            mask[index] = left == 0 ? 0 : 0xFF << UInt8(8 - left)
        }
        self.mask = mask
        network = address.bytes & mask
    }

    /// Whether an address lies in it.
    func contains(_ address: ClientAddress) -> Bool { address.bytes & mask == network }
}
