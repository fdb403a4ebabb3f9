import PosterBase
import Glibc

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

/// A colour in sRGB, each channel 0…1.
struct Color: Equatable, Sendable {
    let red: Double
    let green: Double
    let blue: Double

    /// From OKLCH (Björn Ottosson, "A perceptual color space for image processing", 2020): equal
    /// lightness looks equally light at every hue. `hue` in degrees.
    init(lightness: Double, chroma: Double, hue: Double) {
        let angle = hue * .pi / 180
        let (a, b) = (chroma * cos(angle), chroma * sin(angle))
        let long = lightness + 0.3963377774 * a + 0.2158037573 * b
        let medium = lightness - 0.1055613458 * a - 0.0638541728 * b
        let short = lightness - 0.0894841775 * a - 1.2914855480 * b
        let (l, m, s) = (long * long * long, medium * medium * medium, short * short * short)
        red = Self.encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
        green = Self.encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
        blue = Self.encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)
    }

    private init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Between this colour (share 0) and another (share 1).
    func mixed(with other: Color, share: Double) -> Color {
        Color(
            red: red + (other.red - red) * share, green: green + (other.green - green) * share,
            blue: blue + (other.blue - blue) * share)
    }

    /// Linear light to sRGB (IEC 61966-2-1).
    private static func encoded(_ linear: Double) -> Double {
        let light = min(max(linear, 0), 1)
        return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
