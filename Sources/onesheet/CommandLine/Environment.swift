import Glibc

/// The environment variables of the process, or those that a test makes up.
struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?

    /// Variables that `lookUp` knows.
    init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    /// The process's own.
    static let process = Environment { name in getenv(name).map { String(cString: $0) } }

    /// A variable's value, empty ones included.
    subscript(exactly name: String) -> String? { lookUp(name) }

    /// A variable's value; `nil` also for an empty one, which shells make of "not set".
    subscript(name: String) -> String? {
        lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
