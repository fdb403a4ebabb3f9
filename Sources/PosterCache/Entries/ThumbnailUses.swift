import PosterBase

/// When the thumbnails of the posters in shards of one name were used last.
///
/// A poster and its thumbnails bear one file name and lie in shards of one name, so that what is
/// held at a time is no more than a few folders' names.
struct ThumbnailUses {
    private var newest: [String: Timestamp] = [:]
    /// Those of thumbnails that have gone since, or are about to.
    private let carried: [String: Timestamp]

    init(carried: [String: Timestamp] = [:]) { self.carried = carried }

    /// Notes a use of a thumbnail, by its file name.
    mutating func note(_ name: UnsafePointer<CChar>, _ use: Timestamp) {
        let name = String(cString: name)
        if newest[name].map({ $0 < use }) ?? true { newest[name] = use }
    }

    /// The newest use of a poster's thumbnails.
    func newest(_ name: UnsafePointer<CChar>) -> Timestamp? {
        guard !newest.isEmpty || !carried.isEmpty else { return nil }
        let name = String(cString: name)
        guard let before = carried[name] else { return newest[name] }
        return newest[name].map { max($0, before) } ?? before
    }

    /// Forgets them, but for those that are carried along: another shard follows.
    mutating func removeAll() { newest.removeAll(keepingCapacity: true) }
}
