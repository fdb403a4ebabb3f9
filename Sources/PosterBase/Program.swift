/// What the program says of itself.
public enum Program {
    /// Semantic version (semver.org 2.0).
    public static let version = "0.1.0"
    /// Where to read about it, and whom to write to when it misbehaves.
    public static let address = "https://onesheet.amodb.dev/"
    /// `User-Agent` towards upstream (RFC 9110, section 10.1.5).
    public static let userAgent = "onesheet/\(version) (+\(address))"
}
