import Amodb
import PosterBase
import PosterLists

/// Reads the pages of lists, one after the other, until they end or the user asks to stop.
struct ListWalk {
    let lists: [String]
    let language: String?
    /// How many pages of each list, at most.
    let pages: Int
    let store: ListStore
    let interrupts: Interrupts
    /// Told a last good list that stands in for one that cannot be had.
    let onStale: (_ list: String, ListError) -> Void

    /// Adds the posters of every page to `selection`. Blocks.
    ///
    /// Returns the error that ends the prefetch, at once for a refused key; for another error
    /// after the other lists were read. A list that fails does not lose the pages before it.
    func run(into selection: inout PosterSelection) throws(ListRequestError) -> ListError? {
        var requests: [[ListRequest]] = []
        for list in lists {
            var pagesOfList: [ListRequest] = []
            for page in 1...pages {
                pagesOfList.append(try ListRequest(list: list, language: language, page: page))
            }
            requests.append(pagesOfList)
        }
        var failure: ListError?
        for (list, requests) in zip(lists, requests) {
            do throws(ListError) {
                try read(list, requests, into: &selection)
            } catch {
                failure = failure ?? error
                // Asking for more would not help, and would count against the limit.
                if [.keyRefused, .tryLater].contains(error.exitCode) { return error }
            }
            if interrupts.signal != nil { break }
        }
        return failure
    }

    private func read(
        _ list: String, _ requests: [ListRequest], into selection: inout PosterSelection
    ) throws(ListError) {
        for (index, request) in requests.enumerated() {
            guard let answer = try answer(to: request) else { return }
            guard answer.status == 200 else { throw .status(answer.status) }
            if case .stale(let error) = answer.source { onStale(list, error) }
            let films: FilmList
            do throws(FilmListError) { films = try FilmList(json: answer.body) } catch {
                throw .invalid(error.description)
            }
            selection.add(films)
            if let last = films.totalPages, index + 1 >= last { return }
            if films.films.isEmpty, films.unreadable == 0 { return }
        }
    }

    /// The answer; `nil` when the user asks to stop before it is there.
    private func answer(to request: ListRequest) throws(ListError) -> ListAnswer? {
        let slot = Monitor<Result<ListAnswer, ListError>??>(nil)
        interrupts.onArrival {
            slot.withLock { $0 = $0 ?? .some(nil) }
            slot.notifyAll()
        }
        store.answer(request, for: .prefetch) { result in
            slot.withLock { $0 = $0 ?? result }
            slot.notifyAll()
        }
        return try slot.wait { $0 }?.get()
    }
}
