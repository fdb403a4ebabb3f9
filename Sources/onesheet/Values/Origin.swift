/// What a browser calls the origin of a page, such as `https://app.example:8443`, or `*` for any
/// (RFC 6454, section 6.1).
struct Origin: ArgumentValue, Equatable {
    let text: String

    init(argument: String) throws(ValueError) {
        let rule = "an origin is a scheme and a host, such as https://app.example, or *"
        text = argument
        guard argument != "*" else { return }
        let rest =
            argument.hasPrefix("https://")
            ? argument.dropFirst(8) : argument.hasPrefix("http://") ? argument.dropFirst(7) : ""
        guard !rest.isEmpty, rest.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            !rest.contains(where: { "/?#@\\,\"".contains($0) })
        else { throw ValueError(rule) }
    }
}
