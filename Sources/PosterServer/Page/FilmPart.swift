import Amodb
import PosterKit
import PosterLists

/// One film or series as a part of the page: what it is about, how it is rated, who plays.
enum FilmPart {
    /// Actors that are named; more of a long list would not be read.
    private static let mostActors = 12

    /// Renders what the API answered.
    static func part(
        _ result: Result<ListAnswer, ListError>, _ context: PartContext
    ) -> PagePart {
        do throws(ListError) {
            let answer = try result.get()
            guard answer.status != 404 else { return unknown }
            guard (200..<300).contains(answer.status) else { throw ListError.status(answer.status) }
            let details: FilmDetails
            do { details = try FilmDetails(json: answer.body) } catch {
                throw ListError.invalid(error.description)
            }
            return part(of: details, answer, context)
        } catch {
            return .failure(error, title: "Film", again: context.again)
        }
    }

    private static var unknown: PagePart {
        PagePart(
            state: .error, title: "No such film",
            content: PagePart.emptiness(
                "There is no such film.", "The film API does not know its number.", again: nil),
            status: 404)
    }

    private static func part(
        of details: FilmDetails, _ answer: ListAnswer, _ context: PartContext
    ) -> PagePart {
        let (film, fetched) = (details.film, context.now - .seconds(answer.ageSeconds))
        var (state, notice) = (PagePart.State.full, "" as HTML)
        if case .stale(let error) = answer.source {
            (state, notice) = (.stale, PagePart.staleNotice(error, again: context.again))
        }
        let title = film.title ?? "Untitled"
        let image = context.image(of: film, width: 240, height: 360, isLazy: false)
        return PagePart(
            state: state, title: title,
            content: """
                \(notice)
                <article class="details" lang="\(context.choice.language.tag)">
                <span class="poster large">\(image.html)</span>
                <div>
                <h2 dir="auto">\(title)</h2>
                \(facts(details))
                \(paragraph(details.tagline, "tagline"))\(paragraph(details.overview, "overview"))
                \(ratings(details.ratings))
                \(cast(details.cast))
                </div>
                </article>
                \(PagePart.age(fetched))
                """,
            fetchedSeconds: fetched.seconds)
    }

    private static func facts(_ details: FilmDetails) -> HTML {
        var facts: [String] = []
        if let year = details.film.year { facts.append(year) }
        if let minutes = details.runtimeMinutes, minutes > 0 {
            facts.append(minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min")
        }
        if !details.genres.isEmpty { facts.append(details.genres.joined(separator: ", ")) }
        return """
            <p class="facts">\(facts.joined(separator: " · "))</p>
            \(ListPart.score(details.film.voteAverage))
            """
    }

    private static func paragraph(_ text: String?, _ style: String) -> HTML {
        guard let text, !text.isEmpty else { return "" }
        return "<p class=\"\(style)\" dir=\"auto\">\(text)</p>"
    }

    /// Every source has its row, so that a film that one of them does not rate says so.
    private static func ratings(_ ratings: [Rating]) -> HTML {
        let rows = Rating.Source.allCases.map { source -> HTML in
            guard let rating = ratings.first(where: { $0.source == source }) else {
                return "<tr><th scope=\"row\">\(source.name)</th><td>–</td><td>not rated</td></tr>"
            }
            let votes = rating.votes.map { "\(grouped($0)) \($0 == 1 ? "vote" : "votes")" } ?? ""
            return """
                <tr><th scope="row">\(source.name)</th><td>\(value(rating))</td><td>\(votes)</td></tr>
                """
        }
        return """
            <h3 id="ratings">Ratings</h3>
            <table class="ratings" aria-labelledby="ratings"><tbody>\(HTML(rows))</tbody></table>
            """
    }

    private static func value(_ rating: Rating) -> String {
        guard (0...Double(rating.source.best)).contains(rating.value) else { return "–" }
        switch rating.source {
        case .imdb, .kinopoisk, .tmdb: return "\(ListPart.oneDecimal(rating.value)) / 10"
        case .metacritic: return "\(Int(rating.value.rounded())) / 100"
        case .rottenTomatoes: return "\(Int(rating.value.rounded())) %"
        }
    }

    private static func cast(_ cast: [CastMember]) -> HTML {
        guard !cast.isEmpty else { return "" }
        let rows = cast.prefix(mostActors).map { actor -> HTML in
            let part: HTML =
                actor.character.flatMap { $0.isEmpty ? nil : "<br><span>\($0)</span>" }
                ?? ""
            return "<li dir=\"auto\">\(actor.name)\(part)</li>"
        }
        return "<h3>Cast</h3><ul class=\"cast\">\(HTML(rows))</ul>"
    }

    /// With a narrow space between thousands, which every language reads.
    private static func grouped(_ number: Int) -> String {
        var (digits, groups) = (String(max(number, 0))[...], [Substring]())
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return ([digits] + groups).joined(separator: "\u{202F}")
    }
}
