/// Where a server listens, such as `127.0.0.1:8080` or `[::1]:8080`. Port 0 lets the system
/// choose one.
struct ListenAddress: ArgumentValue, Equatable {
    /// A host name or numeric address, without brackets.
    let host: String
    let port: UInt16

    init(argument: String) throws(ValueError) {
        let rule = "it must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080"
        guard let colon = argument.lastIndex(of: ":") else { throw ValueError(rule) }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { throw ValueError(rule) }
        } else if host.contains(":") {
            throw ValueError("an IPv6 address stands in brackets, such as [::1]:8080")
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw ValueError(rule)
        }
        guard let port = WholeNumber.digits(argument[argument.index(after: colon)...]) else {
            throw ValueError(rule)
        }
        guard let port = UInt16(exactly: port) else { throw ValueError("a port is 65535 at most") }
        (self.host, self.port) = (String(host), port)
    }
}
