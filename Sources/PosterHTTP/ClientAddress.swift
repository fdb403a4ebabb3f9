import Glibc

/// Where a client's connection comes from, without its port.
package struct ClientAddress: Hashable, Sendable {
    /// The sixteen bytes of an IPv6 address (RFC 4291), an IPv4 address mapped into it.
    let bytes: SIMD16<UInt8>

    /// `nil` for what is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        var bytes = SIMD16<UInt8>()
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            (bytes[10], bytes[11]) = (0xFF, 0xFF)
            withUnsafeBytes(of: four) { four in
                for index in 0..<4 { bytes[12 + index] = four[index] }
            }
        case AF_INET6:
            let sixteen = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            withUnsafeBytes(of: sixteen) { sixteen in
                for index in 0..<16 { bytes[index] = sixteen[index] }
            }
        default: return nil
        }
        self.bytes = bytes
    }

    /// Reads an address as text: four numbers, or as RFC 4291 writes it. `nil` for anything else.
    init?(_ text: Substring) {
        // inet_pton would stop at a zero byte.
        guard (2..<Int(INET6_ADDRSTRLEN)).contains(text.utf8.count), !text.utf8.contains(0) else {
            return nil
        }
        var (four, six) = (in_addr(), in6_addr())
        let text = String(text)
        if inet_pton(AF_INET, text, &four) == 1 {
            var bytes = SIMD16<UInt8>()
            (bytes[10], bytes[11]) = (0xFF, 0xFF)
            withUnsafeBytes(of: four) { four in
                for index in 0..<4 { bytes[12 + index] = four[index] }
            }
            self.bytes = bytes
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: six) { $0.loadUnaligned(as: SIMD16<UInt8>.self) }
        } else {
            return nil
        }
    }

    private init(bytes: SIMD16<UInt8>) { self.bytes = bytes }

    /// What counts as one client: an IPv4 address, and of an IPv6 address the first 64 bits, which
    /// is what one subscriber gets.
    var client: ClientAddress {
        guard !isIPv4 else { return self }
        var bytes = bytes
        for index in 8..<16 { bytes[index] = 0 }
        return ClientAddress(bytes: bytes)
    }

    /// Whether it is an IPv4 address, mapped.
    var isIPv4: Bool {
        (0..<10).allSatisfy { bytes[$0] == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }
}

extension ClientAddress: CustomStringConvertible {
    /// As RFC 5952 writes it.
    package var description: String {
        if isIPv4 { return (12..<16).map { String(bytes[$0]) }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        var address = bytes
        guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
    }
}
