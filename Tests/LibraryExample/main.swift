// The library example of the README to the letter, at the top level of a program: there an overload
// that blocks would be taken before one that is async. It would ask the real film API, so it is
// built and not run.
import Amodb
import PosterKit

let key = CommandLine.arguments.last ?? ""

var configuration = Configuration(cacheDirectory: "/var/cache/films")
configuration.apiKey = Secret(key)
let (lists, posters) = (try ListStore(configuration), try PosterStore(configuration))

let week = try await lists.answer(ListRequest(list: "trending/movie/week", language: "en-US"))
let thumbnail = try ThumbnailVariant(width: 120, height: 180)
for film in try FilmList(json: week.body).films {
    let answer = try await posters.answer(PosterRequest(try film.poster(), .thumbnail(thumbnail)))
    switch answer.state {
    case .fresh: print(film.title ?? "", answer.picture?.bytes.count ?? 0, "bytes")
    case .absent(let why): print(film.title ?? "", "placeholder:", why)
    default: print(film.title ?? "", "an older or smaller one, because upstream fails")
    }
}
