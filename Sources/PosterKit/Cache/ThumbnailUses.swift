import PosterBase

/// When the thumbnails of the posters in shards of one name were used last.
///
/// A poster and its thumbnails bear one file name and lie in shards of one name, so that what is
/// held at a time is no more than a few folders' names.
struct ThumbnailUses {
    private var newest: [String: Timestamp] = [:]

    init() {}

    /// Notes a use of a thumbnail, by its file name.
    mutating func note(_ name: UnsafePointer<CChar>, _ use: Timestamp) {
        let name = String(cString: name)
        if newest[name].map({ $0 < use }) ?? true { newest[name] = use }
    }

    /// The newest use of a poster's thumbnails.
    func newest(_ name: UnsafePointer<CChar>) -> Timestamp? {
        newest.isEmpty ? nil : newest[String(cString: name)]
    }

    /// Forgets them: another shard follows.
    mutating func removeAll() { newest.removeAll(keepingCapacity: true) }
}
