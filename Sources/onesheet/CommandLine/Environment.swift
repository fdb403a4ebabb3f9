@preconcurrency import Glibc

/// The environment variables of the process, or those that a test makes up.
struct Environment: Sendable {
    /// What the names of our own variables begin with.
    static let prefix = "ONESHEET_"

    private let lookUp: @Sendable (String) -> String?
    /// The names of all variables.
    let names: [String]

    /// Variables called `names`, with values that `lookUp` knows.
    init(_ names: [String], _ lookUp: @escaping @Sendable (String) -> String?) {
        (self.names, self.lookUp) = (names, lookUp)
    }

    /// The process's own.
    static let process = Environment(processNames()) { name in
        getenv(name).map { String(cString: $0) }
    }

    /// The variables that begin as ours do, are set, and are not in `known`, by name.
    func unknown(besides known: Set<String>) -> [String] {
        names.filter { $0.hasPrefix(Self.prefix) && !known.contains($0) && self[$0] != nil }
            .sorted()
    }

    private static func processNames() -> [String] {
        var names: [String] = []
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let entry = next.pointee {
            names.append(String(String(cString: entry).prefix { $0 != "=" }))
            next += 1
        }
        return names
    }

    /// A variable's value, empty ones included.
    subscript(exactly name: String) -> String? { lookUp(name) }

    /// A variable's value; `nil` also for an empty one, which shells make of "not set".
    subscript(name: String) -> String? {
        lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
