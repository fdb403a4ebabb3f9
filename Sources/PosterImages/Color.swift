import Glibc

/// A colour in sRGB, each channel 0…1.
package struct Color: Equatable, Sendable {
    package let red: Double
    package let green: Double
    package let blue: Double

    /// From OKLCH (Björn Ottosson, "A perceptual color space for image processing", 2020): equal
    /// lightness looks equally light at every hue. `hue` in degrees.
    package init(lightness: Double, chroma: Double, hue: Double) {
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
    package func mixed(with other: Color, share: Double) -> Color {
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
