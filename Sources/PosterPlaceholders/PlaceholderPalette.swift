import Glibc
import PosterBase
import PosterImages

/// The colours of one placeholder: a quiet ground whose hue comes from its seed, and an ink that
/// stands out from all of it by 4.5 to 1 or more.
///
/// *Missing* is dark like a poster, *unavailable* pale like paper: they differ at a glance, also
/// for people who tell no hues apart. Neither is close to a white or a black page.
struct PlaceholderPalette: Equatable, Sendable {
    /// The ground's upper end.
    let groundAbove: Color
    /// The ground's lower end.
    let groundBelow: Color
    /// The title's.
    let ink: Color
    /// The mark's: quieter than the title.
    let mark: Color

    /// The palette of a seed: the same seed, the same hue, on every machine.
    init(seed: String, kind: PlaceholderRequest.Kind) {
        let hash = ContentHash(of: Array(seed.utf8))
        let hue = Double(hash.low % 360)
        switch kind {
        case .missing:
            groundAbove = Color(lightness: 0.40, chroma: 0.055, hue: hue)
            groundBelow = Color(lightness: 0.30, chroma: 0.050, hue: hue)
            ink = Color(lightness: 0.96, chroma: 0.015, hue: hue)
            mark = Color(lightness: 0.66, chroma: 0.060, hue: hue)
        case .unavailable:
            groundAbove = Color(lightness: 0.83, chroma: 0.018, hue: hue)
            groundBelow = Color(lightness: 0.77, chroma: 0.022, hue: hue)
            ink = Color(lightness: 0.32, chroma: 0.030, hue: hue)
            mark = Color(lightness: 0.55, chroma: 0.035, hue: hue)
        }
    }
}
