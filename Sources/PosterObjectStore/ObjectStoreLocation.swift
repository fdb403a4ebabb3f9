import Amodb

/// Where in an S3-compatible store the shared posters lie, such as `s3://films/posters`: a bucket,
/// and perhaps a prefix that all their keys have.
public struct ObjectStoreLocation: Hashable, Sendable {
    /// The bucket.
    public let bucket: String
    /// What the keys begin with, without a slash at either end; may be empty.
    public let prefix: String

    /// Reads `s3://BUCKET[/PREFIX]`. Throws one line that quotes it and names what is wrong.
    ///
    /// Of the prefix only letters, digits and `._-` between slashes: nothing that a URL or
    /// a signature would spell in another way.
    public init(_ text: String) throws(ObjectStoreLocationError) {
        func refuse(_ rule: ObjectStoreLocationError.Rule) -> ObjectStoreLocationError {
            ObjectStoreLocationError(value: text, rule: rule)
        }
        guard text.hasPrefix("s3://") else { throw refuse(.scheme) }
        let rest = text.dropFirst("s3://".count)
        let bucket = rest.prefix { $0 != "/" }
        guard 3...255 ~= bucket.utf8.count, bucket.utf8.allSatisfy(Self.isPlain),
            let first = bucket.first, let last = bucket.last,
            first.isLetter || first.isNumber, last.isLetter || last.isNumber
        else { throw refuse(.bucket) }
        var prefix = rest.dropFirst(bucket.count + 1)
        if prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        guard prefix.utf8.count <= 512 else { throw refuse(.prefix) }
        if !prefix.isEmpty {
            for part in prefix.split(separator: "/", omittingEmptySubsequences: false) {
                guard !part.isEmpty, part != ".", part != "..", part.utf8.allSatisfy(Self.isPlain)
                else { throw refuse(.prefix) }
            }
        }
        (self.bucket, self.prefix) = (String(bucket), String(prefix))
    }

    /// The key of what lies at a relative path below the prefix.
    public func key(_ path: String) -> String { prefix.isEmpty ? path : "\(prefix)/\(path)" }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._-".utf8.contains(byte)
        }
    }
}

extension ObjectStoreLocation: CustomStringConvertible {
    /// As it is typed.
    public var description: String {
        "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)")
    }
}

/// Why a text is no place in an object store.
public struct ObjectStoreLocationError: Error, Equatable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Sendable {
        /// The one kind of store.
        case scheme = "it must be s3://BUCKET/PREFIX"
        /// S3's names, and the longer ones of other stores.
        case bucket =
            "a bucket's name has 3 to 255 letters, digits, dots, hyphens and underscores"
        /// What needs no escapes in a URL.
        case prefix =
            "a prefix has letters, digits, dots, hyphens and underscores between single slashes"
    }

    /// The refused text.
    public let value: String
    /// What is wrong with it.
    public let rule: Rule

    /// Says that `value` breaks `rule`.
    public init(value: String, rule: Rule) { (self.value, self.rule) = (value, rule) }
}

extension ObjectStoreLocationError: CustomStringConvertible {
    /// One line that quotes the value and names the rule.
    public var description: String { "store \(Quoted(value)) refused: \(rule.rawValue)" }
}
