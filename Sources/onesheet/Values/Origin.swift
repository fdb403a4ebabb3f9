import Glibc

/// What a browser calls the origin of a page, such as `https://app.example:8443`, or `*` for any
/// (RFC 6454, section 6.1). One that no browser ever sends is refused: it would match nothing.
struct Origin: ArgumentValue, Equatable {
    let text: String

    init(argument: String) throws(ValueError) {
        text = argument
        guard argument != "*" else { return }
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: { argument.hasPrefix($0) }) else {
            throw Self.rule("it begins with https:// or http://")
        }
        let authority = argument.dropFirst(scheme.count)
        guard !authority.isEmpty else { throw Self.rule("it has a host") }
        guard !authority.contains(where: { "/?#".contains($0) }) else {
            throw Self.rule("it has no path, not even a final slash")
        }
        guard authority.utf8.allSatisfy({ !(0x41...0x5A ~= $0) }) else {
            throw Self.rule("browsers write it in lower case")
        }
        let (host, port) = try Self.split(authority)
        guard Self.isHost(host) else { throw Self.rule("its host is none that a browser writes") }
        guard let port else { return }
        guard let number = UInt16(port), number > 0, String(number) == port else {
            throw Self.rule("its port is a number from 1 to 65535")
        }
        guard number != (scheme == "https://" ? 443 : 80) else {
            throw Self.rule("browsers leave out the scheme's own port")
        }
    }

    private static func rule(_ what: String) -> ValueError {
        ValueError("an origin is a scheme and a host, such as https://app.example, or *; \(what)")
    }

    private static func split(
        _ authority: Substring
    ) throws(ValueError) -> (host: Substring, port: Substring?) {
        var end = authority.startIndex
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else {
                throw rule("its host is none that a browser writes")
            }
            end = bracket
        }
        guard let colon = authority[end...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    /// Whether a host is written as browsers do: a name in ASCII, or an address in its one form.
    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return isCanonical(host.dropFirst().dropLast(), AF_INET6)
        }
        let isName = host.utf8.allSatisfy { byte in
            0x61...0x7A ~= byte || 0x30...0x39 ~= byte || "-._".utf8.contains(byte)
        }
        let labels = host.split(separator: ".")
        guard isName, let last = labels.last else { return false }
        // A browser takes what ends in a number for an IPv4 address (URL standard, host parsing).
        let isNumber = last.utf8.allSatisfy { 0x30...0x39 ~= $0 } || last.hasPrefix("0x")
        return !isNumber || isCanonical(host, AF_INET)
    }

    private static func isCanonical(_ address: Substring, _ family: Int32) -> Bool {
        var bytes = in6_addr()
        var shown = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(family, String(address), &bytes) == 1,
            inet_ntop(family, &bytes, &shown, socklen_t(shown.count)) != nil
        else { return false }
        return shown.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.elementsEqual(address.utf8)
    }
}
