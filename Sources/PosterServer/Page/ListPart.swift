import Amodb
import PosterKit
import PosterLists

/// A list of films or series as a part of the page.
enum ListPart {
    /// Pictures that are fetched at once: what a large window shows first.
    private static let eagerPictures = 8

    /// The window's title of a choice.
    static func title(of choice: PageChoice) -> String {
        "Trending \(choice.kind.name.lowercased()), \(choice.window.name.lowercased())"
    }

    /// Renders what the API answered.
    static func part(
        _ result: Result<ListAnswer, ListError>, _ context: PartContext
    ) -> PagePart {
        let title = title(of: context.choice)
        do throws(ListError) {
            let answer = try result.get()
            guard (200..<300).contains(answer.status) else { throw ListError.status(answer.status) }
            let list: FilmList
            do { list = try FilmList(json: answer.body) } catch {
                throw ListError.invalid(error.description)
            }
            return part(of: list, answer, context)
        } catch {
            return .failure(error, title: title, again: context.again)
        }
    }

    private static func part(
        of list: FilmList, _ answer: ListAnswer, _ context: PartContext
    ) -> PagePart {
        let fetched = context.now - .seconds(answer.ageSeconds)
        var (state, notice) = (PagePart.State.full, "" as HTML)
        if case .stale(let error) = answer.source {
            (state, notice) = (.stale, PagePart.staleNotice(error, again: context.again))
        }
        guard !list.films.isEmpty else {
            return PagePart(
                state: .empty, title: title(of: context.choice),
                content: PagePart.emptiness(
                    "Nothing is trending.", "The film API's list is empty just now.",
                    again: context.again))
        }
        let rows = list.films.enumerated().map { index, film in
            row(film, context, isLazy: index >= eagerPictures)
        }
        return PagePart(
            state: state, title: title(of: context.choice),
            content: """
                \(notice)
                <ol class="films" lang="\(context.choice.language.tag)">
                \(HTML(rows))</ol>
                \(PagePart.age(fetched))
                """,
            fetchedSeconds: fetched.seconds)
    }

    private static func row(_ film: Film, _ context: PartContext, isLazy: Bool) -> HTML {
        let choice = context.choice
        let kind = film.mediaType.flatMap { PageChoice.Kind(rawValue: $0) } ?? choice.kind
        let image = context.image(of: film, width: 60, height: 90, isLazy: isLazy)
        let year: HTML = film.year.map { "<p class=\"year\">\($0)</p>" } ?? ""
        return """
            <li><a class="film" href="\(choice.address(ofFilm: film.id, kind))">\
            <span class="poster">\(image.html)</span>\
            <div><h2 dir="auto">\(film.title ?? "Untitled")</h2>\(year)\
            \(score(film.voteAverage))</div></a></li>

            """
    }

    /// A star and one decimal; where the API gives no score of 0 to 10, no score.
    static func score(_ value: Double?) -> HTML {
        let star: HTML = "<svg aria-hidden=\"true\"><use href=\"#star\"/></svg>"
        guard let value, (0...10).contains(value) else {
            return """
                <p class="score unrated">\(star)<span class="unseen">Not rated yet</span>\
                <span aria-hidden="true">–</span></p>
                """
        }
        return """
            <p class="score">\(star)<span class="unseen">Score</span> \(oneDecimal(value))</p>
            """
    }

    /// `7.9`, as `printf("%.1f")` has it: rounded by the number's exact binary value, and a tie to
    /// the even digit. For 0 and more, up to 10^15.
    static func oneDecimal(_ value: Double) -> String {
        let value = min(max(value, 0), 1e15)
        let product = value * 10
        // What the multiplication has rounded off, exactly.
        let rest = (-product).addingProduct(value, 10)
        let floor = product.rounded(.down)
        var tenths = Int(floor)
        switch product - floor {
        case 0.5: if rest > 0 || (rest == 0 && !tenths.isMultiple(of: 2)) { tenths += 1 }
        case let half: if half > 0.5 { tenths += 1 }
        }
        return "\(tenths / 10).\(tenths % 10)"
    }
}
