/// A text that must not be seen: prints as `•••` wherever it is interpolated or dumped.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself, for the one header that needs it.
    public let revealed: String

    /// Hides `text`.
    public init(_ text: String) { revealed = text }

    /// `•••`
    public var description: String { "•••" }
    /// `•••`
    public var debugDescription: String { "•••" }
    /// Nothing inside.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
