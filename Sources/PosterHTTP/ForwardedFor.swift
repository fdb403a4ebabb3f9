/// `X-Forwarded-For`, where each proxy appends the address that it was asked by.
enum ForwardedFor {
    /// The client of a request that `peer` sent: read from the right, the first address that is
    /// no trusted proxy's. What stands further left is the client's own word. Where the field ends
    /// or becomes unreadable, it is the last address that was believed.
    static func client(
        _ field: String?, peer: ClientAddress, trusting proxies: [AddressRange]
    ) -> ClientAddress {
        var client = peer
        var hops = (field ?? "").split(separator: ",", omittingEmptySubsequences: false)[...]
        while proxies.contains(where: { $0.contains(client) }), let hop = hops.popLast(),
            let address = address(of: hop)
        {
            client = address
        }
        return client
    }

    /// Reads one hop: an address, in brackets or not, with a port or without.
    private static func address(of hop: Substring) -> ClientAddress? {
        var text = hop
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if let address = ClientAddress(text) { return address }
        guard let colon = text.lastIndex(of: ":"),
            text[text.index(after: colon)...].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
                || text.last == "]"
        else { return nil }
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            return ClientAddress(text[text.index(after: text.startIndex)..<bracket])
        }
        return ClientAddress(text[..<colon])
    }
}
