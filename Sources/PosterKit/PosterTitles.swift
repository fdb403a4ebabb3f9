import Amodb
import PosterBase
import PosterCache
import PosterPlaceholders

/// The titles of films by their posters, as the lists of the page and of prefetches tell them, so
/// that a placeholder has a title though its request brings none.
///
/// What this process got, a prefetch of another, and the process before the restart, all count
/// alike. Of a poster in several lists the newest decides.
final class PosterTitles: Sendable {
    private struct Title {
        let text: String
        /// When its list came; never in the future.
        let fetched: Timestamp
    }

    /// Memory for them, in bytes: some seven thousand films.
    static let capacity = 4 << 20
    /// Bytes of lists that are read at once, at most.
    private static let maxBytes = 32 << 20

    private let lists: ListCache
    private let titles = MemoryTier<PosterPath, Title>(capacity: capacity)
    /// How the file of lists looked when it was last read.
    private let seen = Monitor<TitleLists.Mark?>(nil)
    /// Held while reading. It has a value, because Thread Sanitizer takes one without a size for what
    /// is next to it.
    private let reading = Monitor(false)
    private let clock: TimeSource

    /// Those of the lists in a cache. Reads nothing yet.
    init(_ lists: ListCache, clock: TimeSource) {
        self.lists = lists
        self.clock = clock
    }

    /// A film's title, from memory; `nil` when none is known.
    func title(of path: PosterPath) -> String? { titles.value(for: path)?.value.text }

    /// Whether a list came since ``catchUp()`` last ran. Blocks for one look at a file.
    var isBehind: Bool { lists.named.mark().map { $0 != seen.withLock { $0 } } ?? false }

    /// Reads the lists that came since it last ran. Blocks for the disk and for their JSON; of
    /// several callers at once, all wait for one.
    func catchUp() {
        reading.withLock { isReading in
            isReading = true
            defer { isReading = false }
            let last = seen.withLock { $0 }
            guard let mark = lists.named.mark(), mark != last else { return }
            var left = Self.maxBytes
            for request in lists.named.requests(since: last).reversed() where left > 0 {
                guard let list = lists.read(request) else { continue }
                left -= list.body.count
                note(list)
            }
            seen.withLock { $0 = mark }
        }
    }

    private func note(_ list: ListCache.Kept) {
        let fetched = min(list.fetched, clock.now())
        for film in Self.films(in: list.body) {
            do throws(PosterPathError) {
                guard let path = try film.poster(), let title = film.title else { continue }
                if let known = titles.value(for: path)?.value, known.fetched >= fetched { continue }
                let shown = String(title.prefix(PlaceholderRequest.maxTitleLength))
                titles.insert(
                    path, Title(text: shown, fetched: fetched), bytes: shown.utf8.count,
                    checked: clock.instant())
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
