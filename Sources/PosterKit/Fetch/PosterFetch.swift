import Amodb

/// What asking upstream for one poster came to.
enum PosterFetchResult: Sendable {
    /// 200, with a body that is still unproven.
    case bytes([UInt8], Validators)
    /// 304 to a conditional request: the entry is as good as new.
    case notModified
    /// 404 or 410: there is no such poster.
    case missing(status: Int)
}
