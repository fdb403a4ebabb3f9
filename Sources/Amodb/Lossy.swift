/// A value that is `nil` when it cannot be decoded, so that one bad member of an array or object
/// does not lose the others.
///
/// It takes every error as that: for a number that the type cannot hold, such as 10^20 for `Int`,
/// some versions of Foundation throw an error of their own, which is no `DecodingError`.
struct Lossy<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        do { value = try Value(from: decoder) } catch { value = nil }
    }
}
