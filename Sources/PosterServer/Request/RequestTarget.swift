import Amodb
import PosterHTTP

/// A request target (RFC 9112, section 3.2), split and otherwise unchanged: nothing is decoded.
struct RequestTarget: Equatable, Sendable {
    /// From the first slash to the question mark.
    let path: Substring
    /// After the question mark; `nil` when there is none.
    let query: Substring?
    /// Of absolute form: the host and port, which count instead of a `Host` field's; else `nil`.
    let authority: Substring?

    /// Takes origin form and absolute form (whose scheme is ignored: this is never a proxy). Throws
    /// 400 for the rest, and for bytes that no URI may hold.
    init(_ target: String) throws(RequestRefusal) {
        let bytes = target.utf8
        guard bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
            throw Self.refusal(target, "holds a byte that no URI may hold")
        }
        var rest = target[...]
        if bytes.first == UInt8(ascii: "/") {
            authority = nil
        } else {
            (authority, rest) = try Self.partsOfAbsoluteForm(target)
        }
        guard !rest.utf8.starts(with: "//".utf8) else {
            throw Self.refusal(target, "begins with two slashes")
        }
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = rest[..<(mark ?? rest.endIndex)]
        query = mark.map { rest[rest.utf8.index(after: $0)...] }
    }

    private static func partsOfAbsoluteForm(
        _ target: String
    ) throws(RequestRefusal) -> (authority: Substring, rest: Substring) {
        let lowercased = target.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowercased.hasPrefix($0) }) else {
            throw refusal(target, "is neither a path nor an HTTP URL")
        }
        let authority = target.dropFirst(scheme.count)
        guard let end = authority.utf8.firstIndex(where: { $0 == 0x2F || $0 == 0x3F }),
            end != authority.startIndex
        else { throw refusal(target, "is a URL without a path") }
        guard authority.utf8[end] == UInt8(ascii: "/") else {
            throw refusal(target, "is a URL without a path")
        }
        guard authority[..<end].utf8.allSatisfy(RequestHead.isHostByte) else {
            throw refusal(target, "is a URL with more than a host and a port before its path")
        }
        return (authority[..<end], authority[end...])
    }

    private static func refusal(_ target: String, _ why: String) -> RequestRefusal {
        RequestRefusal(400, "bad_target", "request target \(Quoted(target)) \(why)")
    }
}

extension RequestHead {
    /// Where the client reached this service, `https://films.example`: the scheme that the nearest
    /// proxy names, else `http`, and the host of the target's absolute form, else of `Host`
    /// (RFC 9112, section 3.2.2); `nil` without one. `X-Forwarded-Host` is left alone: many proxies
    /// pass a client's own on.
    func origin(_ target: RequestTarget) -> String? {
        let host = target.authority.map(String.init) ?? self.host
        guard let host, !host.isEmpty else { return nil }
        let isSecure = Self.last(forwardedProto)?.lowercased() == "https"
        return "\(isSecure ? "https" : "http")://\(host)"
    }

    /// The last member of a list, which the nearest proxy added; `nil` for none.
    private static func last(_ list: String?) -> Substring? {
        guard let list else { return nil }
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        var member = list[...]
        if let comma = list.lastIndex(of: ",") { member = list[list.index(after: comma)...] }
        member = member.drop(while: isSpace)
        while member.last.map(isSpace) == true { member.removeLast() }
        return member.isEmpty ? nil : member
    }
}
