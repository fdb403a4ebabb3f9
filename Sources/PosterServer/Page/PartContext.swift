import Amodb
import PosterBase
import PosterImages

/// What a part of the page depends on beside the API's answer.
struct PartContext {
    /// What was chosen.
    let choice: PageChoice
    /// The address of the same page, asked for again.
    let again: String
    /// When it is rendered.
    let now: Timestamp
    /// The colour that stands for a poster until it comes, where it is known.
    let tint: @Sendable (PosterPath) -> Tint?

    /// The poster of a film. A `poster_path` that is none of ours has no tint.
    func image(of film: Film, width: Int, height: Int, isLazy: Bool) -> PosterImage {
        let path: PosterPath?
        do { path = try film.poster() } catch { path = nil }
        return PosterImage(
            film: film, width: width, height: height, isLazy: isLazy, tint: path.flatMap(tint))
    }
}
