/// What an origin sent to tell versions of a resource apart (RFC 9110, section 8.8), unedited.
public struct Validators: Hashable, Sendable {
    /// `ETag`, quotes included.
    public var entityTag: String?
    /// `Last-Modified`.
    public var lastModified: String?

    /// Both may be missing.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}
