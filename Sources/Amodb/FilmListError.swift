/// Why bytes are no film list.
public struct FilmListError: Error, Equatable, Sendable {
    /// What did not fit.
    public let reason: String

    /// Says what did not fit.
    public init(reason: String) { self.reason = reason }
}

extension FilmListError: CustomStringConvertible {
    /// One line.
    public var description: String { "not a film list: \(reason)" }
}
