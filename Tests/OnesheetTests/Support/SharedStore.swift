import Testing
import TestSupport

@testable import FixtureOrigin

/// A stand-in object store, which ends with its owner.
final class SharedStore {
    static let bucket = "films"
    static let secret = "wJalr-very-secret"
    let origin: Origin

    init() throws { origin = try Origin(bucket: Self.bucket) }

    deinit { origin.stop() }

    /// What a program's environment says of it.
    var environment: [String: String] {
        [
            "ONESHEET_STORE": "s3://\(Self.bucket)/posters", "ONESHEET_STORE_ENDPOINT": origin.base,
            "ONESHEET_STORE_DEADLINE": "20000", "AWS_ACCESS_KEY_ID": BucketRoutes.accessKey,
            "AWS_SECRET_ACCESS_KEY": Self.secret,
        ]
    }

    /// The same program as a node with this store.
    func node(of upstream: Upstream) -> BuiltProgram {
        var program = upstream.program()
        program.environment.merge(environment) { $1 }
        return program
    }

    /// Gives the bucket a lifecycle configuration with such rules.
    func setRules(_ rules: String) {
        let text = "<?xml version='1.0'?><LifecycleConfiguration>\(rules)</LifecycleConfiguration>"
        origin.put("/\(Self.bucket)?lifecycle=", Array(text.utf8))
    }

    /// A rule that ends what begins with `prefix`.
    static func rule(_ prefix: String, days: Int, status: String = "Enabled") -> String {
        "<Rule><ID>x</ID><Filter><Prefix>\(prefix)</Prefix></Filter><Status>\(status)</Status>"
            + "<Expiration><Days>\(days)</Days></Expiration></Rule>"
    }
}
