import Amodb

/// The posters that a prefetch is to have, each once, in the order in which they were named.
struct PosterSelection {
    /// Their paths.
    private(set) var paths: [PosterPath] = []
    /// Films without a poster.
    private(set) var noPoster = 0
    /// What cannot be a poster, and why.
    private(set) var failures: [PrefetchFailure] = []

    private var known: Set<PosterPath> = []
    private var knownFilms: Set<Int> = []

    /// Adds the posters of a list's films. One film may stand in several lists.
    mutating func add(_ list: FilmList) {
        for film in list.films where knownFilms.insert(film.id).inserted { add(film.posterPath) }
        for _ in 0..<list.unreadable {
            failures.append(PrefetchFailure("a list's film", "unreadable", "it is no film"))
        }
    }

    /// Adds a poster path, as the API gives it.
    mutating func add(_ value: String?) {
        do throws(PosterPathError) {
            guard let path = try PosterPath.parse(value) else {
                noPoster += 1
                return
            }
            if known.insert(path).inserted { paths.append(path) }
        } catch {
            failures.append(PrefetchFailure(error.value, "refused", error.rule.rawValue))
        }
    }

    /// Adds what a file holds: a saved list in JSON, or poster paths, one a line.
    mutating func add(file bytes: [UInt8]) throws(FilmListError) {
        var bytes = bytes[...]
        // Some editors put a byte order mark before UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return add(try FilmList(json: Array(bytes)))
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            add(
                String(
                    String(decoding: line, as: UTF8.self).drop(while: \.isWhitespace).reversed()
                        .drop(while: \.isWhitespace).reversed()))
        }
    }
}
