import Amodb

/// The query of a request to the relay, sorted by what is the API's business and what is this
/// service's own.
struct RelayQuery {
    /// What is passed on.
    let passedOn: String
    /// The client's key of the API; `nil` where there is none, or several.
    let clientKey: String?
    /// Whether the client requests a list that is new.
    let wantsFresh: Bool

    /// What belongs to one user of the API: the operator's key is not that user's.
    private static let personalParameters = ["session_id", "guest_session_id"]
    private static let personalPaths = ["authentication", "account", "guest_session", "session"]
    /// What a film's answer would be extended by, for one user.
    private static let personalExtensions = ["account_states"]

    /// Throws 400 for a parameter that belongs to one user.
    init(_ query: Substring?) throws(RequestRefusal) {
        var (passedOn, keys, wantsFresh) = ([Substring](), [String](), false)
        // Some servers take a semicolon for an ampersand.
        for parameter in (query ?? "").split(whereSeparator: { $0 == "&" || $0 == ";" }) {
            switch Self.plainName(of: parameter) {
            case ListRequest.keyName: keys.append(ListRequest.value(of: parameter))
            case "fresh": wantsFresh = !["0", "false"].contains(ListRequest.value(of: parameter))
            case let name where Self.personalParameters.contains(name):
                throw .parameter(name, "it belongs to one user, and is not passed on")
            case "append_to_response":
                let extensions = ListRequest.value(of: parameter).split(separator: ",")
                guard !extensions.contains(where: { Self.personalExtensions.contains("\($0)") })
                else {
                    throw .parameter("append_to_response", "account_states belongs to one user")
                }
                passedOn.append(parameter)
            default: passedOn.append(parameter)
            }
        }
        self.passedOn = passedOn.joined(separator: "&")
        clientKey = keys.count == 1 ? keys[0] : nil
        self.wantsFresh = wantsFresh
    }

    /// Whether a path of the API is one user's.
    static func isPersonal(path: String) -> Bool {
        let segments = path.split(separator: "/").map { $0.lowercased() }
        return segments.first.map { personalPaths.contains($0) } ?? false
            || segments.contains { personalExtensions.contains($0) }
    }

    /// A request target with the values left out that are a client's secrets, for logs.
    static func withoutSecrets(_ target: String) -> String {
        guard let mark = target.firstIndex(of: "?") else { return target }
        let secrets = personalParameters + [ListRequest.keyName]
        let parameters = target[target.index(after: mark)...]
            .split(separator: "&", omittingEmptySubsequences: false).map { parameters in
                parameters.split(separator: ";", omittingEmptySubsequences: false)
                    .map { parameter in
                        let name = plainName(of: parameter)
                        return secrets.contains(name) ? "\(name)=…" : "\(parameter)"
                    }.joined(separator: ";")
            }
        return target[...mark] + parameters.joined(separator: "&")
    }

    /// A parameter's name as the laxest server would read it: in lower case, without blanks, pluses
    /// and control characters, a dot as an underscore, and as far as a bracket.
    private static func plainName(of parameter: Substring) -> String {
        let name = ListRequest.name(of: parameter).lowercased().unicodeScalars
            .prefix { $0 != "[" }.filter { $0.value > 0x20 && $0.value != 0x7F && $0 != "+" }
            .map { $0 == "." ? "_" : Character($0) }
        return String(name)
    }
}
