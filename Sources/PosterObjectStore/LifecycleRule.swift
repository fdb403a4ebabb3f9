/// A rule by which a bucket's old objects end (Amazon S3 API Reference,
/// GetBucketLifecycleConfiguration), as far as it matters here.
struct LifecycleRule: Equatable {
    let isEnabled: Bool
    /// What keys must begin with.
    let prefix: String
    /// Whether only objects with a tag, or of a size, are meant.
    let isNarrow: Bool
    /// After how many days objects end; `nil` where the rule is about something else.
    let days: Int?

    /// The rules in a configuration's XML.
    static func all(in text: String) -> [LifecycleRule] {
        StoreAnswer.elements("Rule", in: text[...]).map { rule in
            let expiration = StoreAnswer.element("Expiration", in: rule)
            return LifecycleRule(
                isEnabled: StoreAnswer.element("Status", in: rule) == "Enabled",
                prefix: StoreAnswer.element("Prefix", in: rule).map(String.init) ?? "",
                isNarrow: ["Tag", "ObjectSizeGreaterThan", "ObjectSizeLessThan"].contains {
                    StoreAnswer.element($0, in: rule) != nil
                },
                days: expiration.flatMap { StoreAnswer.element("Days", in: $0) }.flatMap(days))
        }
    }

    /// A positive number; one of over a thousand years ends nothing.
    private static func days(_ text: Substring) -> Int? {
        Int(text).flatMap { (1...400_000).contains($0) ? $0 : nil }
    }

    /// Whether every object whose key begins with `prefix` ends by it.
    func covers(_ prefix: String) -> Bool {
        isEnabled && !isNarrow && days != nil && prefix.hasPrefix(self.prefix)
    }
}
