/// Makes the samples that an encoder wants out of a decoded picture: resampled, then turned
/// upright, then in the encoder's colours. Owns the memory that they lie in.
struct ThumbnailRenderer: ~Copyable {
    private var resampler = Resampler()
    private var stored = Scratch<UInt8>()
    private var upright = Scratch<UInt8>()

    init() {}

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) {
        stored.trim(to: limit)
        upright.trim(to: limit)
    }

    /// Planes for a JPEG encoder: luma and 4:2:0 chroma of a picture that has them, else one
    /// plane, of grey or RGB. Alpha goes onto a dark ground. Valid until the next call.
    mutating func jpegPlanes(
        of picture: DecodedPicture, _ geometry: ThumbnailGeometry
    ) -> [SamplePlane] {
        let planes = resample(picture, geometry, chroma: 2)
        // An encoder of planes reads luma as far as chroma reaches.
        if planes.count > 1 { planes[0].extendEdges(rows: planes[0].height % 2) }
        guard picture.color == .premultipliedRGBA else { return planes }
        return [flatten(planes[0])]
    }

    /// One plane for a PNG encoder: grey, RGB, or RGBA that is not premultiplied. Valid until
    /// the next call.
    mutating func pngPlane(
        of picture: DecodedPicture, _ geometry: ThumbnailGeometry
    ) -> SamplePlane {
        let planes = resample(picture, geometry, chroma: 1)
        switch picture.color {
        case .grey, .rgb: break
        case .premultipliedRGBA: unpremultiply(planes[0])
        case .yCbCr:
            let count = planes[0].count
            // The planes lie in one of the two buffers; the other is free.
            let free =
                geometry.orientation == .upright
                ? upright.reserve(3 * count) : stored.reserve(3 * count)
            return interleave(planes, into: free)
        }
        return planes[0]
    }

    private mutating func resample(
        _ picture: DecodedPicture, _ geometry: ThumbnailGeometry, chroma: Int
    ) -> [SamplePlane] {
        let targets = Self.lay(
            picture, width: geometry.storedWidth, height: geometry.storedHeight, chroma: chroma
        ) { stored.reserve($0) }
        for (plane, target) in zip(picture.planes, targets) {
            let factor = target.width == geometry.storedWidth ? 1 : chroma
            var region = geometry.region(columns: factor, rows: factor)
            region.x /= Double(plane.columnsPerSample)
            region.width /= Double(plane.columnsPerSample)
            region.y /= Double(plane.rowsPerSample)
            region.height /= Double(plane.rowsPerSample)
            resampler.resample(plane.samples, region, into: target)
        }
        guard geometry.orientation != .upright else { return targets }
        let turned = Self.lay(
            picture, width: geometry.width, height: geometry.height, chroma: chroma
        ) { upright.reserve($0) }
        for (from, to) in zip(targets, turned) { geometry.orientation.turn(from, into: to) }
        return turned
    }

    /// Lays the planes of a thumbnail one behind the other.
    private static func lay(
        _ picture: DecodedPicture, width: Int, height: Int, chroma: Int,
        _ reserve: (Int) -> UnsafeMutablePointer<UInt8>
    ) -> [SamplePlane] {
        let channels = picture.planes[0].samples.channels
        guard picture.planes.count > 1 else {
            let base = reserve(width * height * channels)
            return [SamplePlane(base, width: width, height: height, channels: channels)]
        }
        let (chromaWidth, chromaHeight) = (width.over(chroma), height.over(chroma))
        let (pitch, rows) = (chromaWidth * chroma, chromaHeight * chroma)
        let base = reserve(pitch * rows + 2 * chromaWidth * chromaHeight)
        var planes = [SamplePlane(base, width: width, height: height, pitch: pitch)]
        for index in 0..<2 {
            let start = base + pitch * rows + index * chromaWidth * chromaHeight
            planes.append(SamplePlane(start, width: chromaWidth, height: chromaHeight))
        }
        return planes
    }
}

/// What shows through a transparent picture where the encoding has no alpha: a placeholder's
/// ground (OKLCH lightness 0.35), grey, so that it suits every logo's colours.
private let background: UInt32 = 58

/// Lays premultiplied pixels onto the background, packing four channels to three in place.
private func flatten(_ plane: SamplePlane) -> SamplePlane {
    for pixel in 0..<plane.width * plane.height {
        let from = plane.base + 4 * pixel
        let to = plane.base + 3 * pixel
        let clear = 255 - UInt32(from[3])
        let (red, green, blue) = (from[0], from[1], from[2])
        to[0] = over(red, background, clear)
        to[1] = over(green, background, clear)
        to[2] = over(blue, background, clear)
    }
    return SamplePlane(plane.base, width: plane.width, height: plane.height, channels: 3)
}

private func over(_ sample: UInt8, _ ground: UInt32, _ clear: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: min(255, UInt32(sample) + (ground * clear + 127) / 255))
}

/// Divides colour by alpha again. Ringing may leave a colour above its alpha; it becomes white.
private func unpremultiply(_ plane: SamplePlane) {
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

/// JFIF's Y, Cb and Cr as RGB (ITU-T T.871, section 7), in 16.16 fixed point.
private func interleave(
    _ planes: [SamplePlane], into base: UnsafeMutablePointer<UInt8>
) -> SamplePlane {
    let (luma, blue, red) = (planes[0].base, planes[1].base, planes[2].base)
    let half: Int32 = 1 << 15
    func sample(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
    for pixel in 0..<planes[0].count {
        let y = Int32(luma[pixel]) << 16
        let (cb, cr) = (Int32(blue[pixel]) - 128, Int32(red[pixel]) - 128)
        base[3 * pixel] = sample((y + 91881 * cr + half) >> 16)
        base[3 * pixel + 1] = sample((y - 22554 * cb - 46802 * cr + half) >> 16)
        base[3 * pixel + 2] = sample((y + 116130 * cb + half) >> 16)
    }
    return SamplePlane(base, width: planes[0].width, height: planes[0].height, channels: 3)
}
