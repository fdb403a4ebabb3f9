public import Amodb

/// Every knob of the store that several nodes share, with its unit and default.
public struct ObjectStoreSettings: Sendable {
    /// The bucket and the prefix.
    public var location: ObjectStoreLocation
    /// Whom requests say to come from.
    public var credentials: ObjectStoreCredentials
    /// As the store calls it, and signatures name it.
    public var region: String
    /// Where the store answers; the bucket is the first part of the path there.
    public var endpoint: BaseURL
    /// The longest that a look into the store may take, connecting included.
    public var deadline: Duration = .milliseconds(250)
    /// The longest that writing one object may take.
    public var writeDeadline: Duration = .seconds(10)
    /// The objects that may wait to be written.
    public var queueLength = 256
    /// The bytes of those, and of those being written.
    public var queueBytes = 64 << 20
    /// Objects written at once.
    public var writers = 4
    /// How long the end waits for what is not written yet.
    public var drain: Duration = .seconds(3)
    /// Private root certificates in PEM; `nil`: the system's.
    public var caFile: String?

    /// The defaults; `endpoint` where it is not AWS' own.
    public init(
        _ location: ObjectStoreLocation, _ credentials: ObjectStoreCredentials,
        region: String = Self.usualRegion, endpoint: BaseURL? = nil
    ) throws(BaseURLError) {
        (self.location, self.credentials, self.region) = (location, credentials, region)
        if let endpoint {
            self.endpoint = endpoint
        } else {
            self.endpoint = try BaseURL("https://s3.\(region).amazonaws.com")
        }
    }

    /// The region where none is named, as in AWS' own tools.
    public static let usualRegion = "us-east-1"
}
