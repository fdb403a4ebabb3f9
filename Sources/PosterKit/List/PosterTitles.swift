import Amodb

/// The titles of films by their posters, as the lists on disk tell them: so that a placeholder
/// has a title though nobody gave one.
///
/// The files are the index here, too: what the relay of this process kept, a prefetch of another,
/// and the process before the restart, all count alike. Of a poster in several lists the newest
/// decides.
final class PosterTitles: Sendable {
    /// Memory for them, in bytes: some seven thousand films.
    static let capacity = 4 << 20
    /// Lists that are read, the newest, and the bytes of them at most: whoever asks the relay for
    /// ever other queries must not keep a thread busy.
    private static let maxLists = 256
    private static let maxBytes = 32 << 20
    /// File systems stamp a change with the time of the last timer tick; what comes later in the
    /// same tick bears the same time.
    private static let tick = Duration.milliseconds(50)

    private let lists: ListFolder
    private let titles = MemoryTier<PosterPath, String>(capacity: capacity)
    /// The folder's last change that has been looked at.
    private let seen = Monitor<Timestamp?>(nil)
    /// The lists that were read; held while reading.
    private let read = Monitor<[String: Timestamp]>([:])
    private let clock: Clock

    /// Those of the lists in a cache. Reads nothing yet.
    init(_ lists: ListFolder, clock: Clock) {
        self.lists = lists
        self.clock = clock
    }

    /// A film's title, from memory; `nil` when none is known.
    func title(of path: PosterPath) -> String? { titles.value(for: path)?.value }

    /// Whether a list came since ``catchUp()`` last ran. Blocks for one look at a folder.
    var isBehind: Bool { lists.lastChange().map { $0 != seen.withLock { $0 } } ?? false }

    /// Reads the lists that came since it last ran. Blocks for the disk and for their JSON; of
    /// several callers at once, all wait for one.
    func catchUp() {
        read.withLock { read in
            guard let change = lists.lastChange(), change != seen.withLock({ $0 }) else { return }
            let isOver = clock.now() - Self.tick > change
            let items = lists.newest(Self.maxLists)
            var left = Self.maxBytes
            var new: [[UInt8]] = []
            for item in items where read[item.name] != item.fetched && left > 0 {
                guard let body = lists.body(item.name) else { continue }
                left -= body.count
                new.append(body)
            }
            // The oldest first, so that the newest has the last word.
            for body in new.reversed() { note(body) }
            read = Dictionary(items.map { ($0.name, $0.fetched) }) { $1 }
            if isOver { seen.withLock { $0 = change } }
        }
    }

    private func note(_ body: [UInt8]) {
        for film in Self.films(in: body) {
            do throws(PosterPathError) {
                guard let path = try film.poster(), let title = film.title, !title.isEmpty else {
                    continue
                }
                let shown = String(title.prefix(PlaceholderRequest.maxTitleLength))
                titles.insert(path, shown, bytes: shown.utf8.count, checked: clock.instant())
            } catch { continue }
        }
    }

    /// The films of a list, or the one that a film's own answer is about. Of other answers, none.
    private static func films(in body: [UInt8]) -> [Film] {
        do throws(FilmListError) { return try FilmList(json: body).films } catch {
            do throws(FilmListError) { return [try FilmDetails(json: body).film] } catch {
                return []
            }
        }
    }
}
