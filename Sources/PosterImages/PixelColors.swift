/// What shows through a transparent picture where the encoding has no alpha: a placeholder's
/// ground (OKLCH lightness 0.35), grey, so that it suits every logo's colours.
private let ground: UInt32 = 58

/// Multiplies RGBA's colours by alpha: a transparent pixel has a colour, too, which must not leak
/// into its neighbours when they are averaged.
func premultiply(_ plane: SamplePlane) {
    for pixel in 0..<plane.width * plane.height {
        let sample = plane.base + 4 * pixel
        let alpha = UInt32(sample[3])
        guard alpha != 255 else { continue }
        for channel in 0..<3 {
            sample[channel] = UInt8(
                truncatingIfNeeded: (UInt32(sample[channel]) * alpha + 127) / 255)
        }
    }
}

/// Divides RGBA's colours by alpha again. Ringing may leave a colour above its alpha; it is cut.
func unpremultiply(_ plane: SamplePlane) {
    for pixel in 0..<plane.width * plane.height {
        let sample = plane.base + 4 * pixel
        let alpha = UInt32(sample[3])
        guard alpha != 255, alpha != 0 else { continue }
        for channel in 0..<3 {
            let value = (UInt32(sample[channel]) * 255 + alpha / 2) / alpha
            sample[channel] = UInt8(truncatingIfNeeded: min(255, value))
        }
    }
}

/// Lays premultiplied RGBA onto the ground, and packs four channels to three in place.
func flatten(_ plane: SamplePlane) {
    for pixel in 0..<plane.width * plane.height {
        let from = plane.base + 4 * pixel
        let to = plane.base + 3 * pixel
        let shining = (ground * (255 - UInt32(from[3])) + 127) / 255
        for channel in 0..<3 {
            to[channel] = UInt8(truncatingIfNeeded: min(255, UInt32(from[channel]) + shining))
        }
    }
}

/// Turns interleaved JFIF Y, Cb and Cr into RGB (ITU-T T.871, section 7), in 16.16 fixed point.
func convertToRGB(_ plane: SamplePlane) {
    let half: Int32 = 1 << 15
    func sample(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, (value + half) >> 16)))
    }
    for pixel in 0..<plane.width * plane.height {
        let samples = plane.base + 3 * pixel
        let y = Int32(samples[0]) << 16
        let (cb, cr) = (Int32(samples[1]) - 128, Int32(samples[2]) - 128)
        samples[0] = sample(y + 91881 * cr)
        samples[1] = sample(y - 22554 * cb - 46802 * cr)
        samples[2] = sample(y + 116130 * cb)
    }
}
