/// Makes the samples that an encoder wants out of a decoded picture: resampled channel by channel,
/// then turned upright, then in the encoder's colours. Owns the memory that they lie in.
struct ThumbnailRenderer: ~Copyable {
    private var resampler = Resampler()
    private var channel = Scratch<UInt8>()
    private var stored = Scratch<UInt8>()
    private var upright = Scratch<UInt8>()
    private var packed = Scratch<UInt8>()

    /// What of a giant's is given back as soon as nothing reads it any more.
    private static let keptBytes = 8 << 20

    init() {}

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) {
        channel.trim(to: limit)
        stored.trim(to: limit)
        upright.trim(to: limit)
        packed.trim(to: limit)
    }

    /// Planes for a JPEG encoder: luma and 4:2:0 chroma of a picture that has them, else one
    /// plane, of grey or RGB. Alpha goes onto a dark ground. Valid until the next call.
    mutating func jpegPlanes(
        of picture: DecodedPicture, _ geometry: ThumbnailGeometry
    ) throws(ImageError) -> [SamplePlane] {
        let planes = try resample(picture, geometry, chroma: 2)
        switch picture.color {
        case .grey: return planes
        case .yCbCr:
            // An encoder of planes reads luma as far as chroma reaches.
            planes[0].extendEdges()
            return planes
        case .rgb: return [pack(planes, 3)]
        case .premultipliedRGBA:
            let pixels = pack(planes, 4)
            flatten(pixels)
            return [
                SamplePlane(
                    pixels.base, width: pixels.width, height: pixels.height, channels: 3)
            ]
        }
    }

    /// One plane for a PNG encoder: grey, RGB, or RGBA that is not premultiplied. Valid until
    /// the next call.
    mutating func pngPlane(
        of picture: DecodedPicture, _ geometry: ThumbnailGeometry
    ) throws(ImageError) -> SamplePlane {
        let planes = try resample(picture, geometry, chroma: 1)
        switch picture.color {
        case .grey: return planes[0]
        case .rgb: return pack(planes, 3)
        case .yCbCr:
            let pixels = pack(planes, 3)
            convertToRGB(pixels)
            return pixels
        case .premultipliedRGBA:
            let pixels = pack(planes, 4)
            unpremultiply(pixels)
            return pixels
        }
    }

    /// Planes for a WebP encoder: as for JPEG, but alpha is kept, in one plane of RGBA that is not
    /// premultiplied. Valid until the next call.
    mutating func webpPlanes(
        of picture: DecodedPicture, _ geometry: ThumbnailGeometry
    ) throws(ImageError) -> [SamplePlane] {
        guard picture.color == .premultipliedRGBA else {
            return try jpegPlanes(of: picture, geometry)
        }
        return [try pngPlane(of: picture, geometry)]
    }

    /// A plane for each channel, upright; those of chroma cover `chroma` pixels each way.
    private mutating func resample(
        _ picture: DecodedPicture, _ geometry: ThumbnailGeometry, chroma: Int
    ) throws(ImageError) -> [SamplePlane] {
        let channels = picture.channels
        let factors = (0..<channels).map { picture.color == .yCbCr && $0 > 0 ? chroma : 1 }
        let made = Self.lay(geometry.storedWidth, geometry.storedHeight, factors) {
            stored.reserve($0)
        }
        for index in 0..<channels {
            let source = picture.planes[picture.planes.count > 1 ? index : 0]
            var region = geometry.region(columns: factors[index], rows: factors[index])
            region.x /= Double(source.columnsPerSample)
            region.width /= Double(source.columnsPerSample)
            region.y /= Double(source.rowsPerSample)
            region.height /= Double(source.rowsPerSample)
            let samples =
                source.samples.channels == 1 ? source.samples : split(source.samples, index)
            try resampler.resample(samples, region, into: made[index])
            made[index].limit(to: samples)
        }
        channel.trim(to: Self.keptBytes)
        guard geometry.orientation != .upright else { return made }
        let turned = Self.lay(geometry.width, geometry.height, factors) { upright.reserve($0) }
        for (from, to) in zip(made, turned) { geometry.orientation.turn(from, into: to) }
        stored.trim(to: Self.keptBytes)
        return turned
    }

    /// Lays planes one behind the other, each with room for one column and row more.
    private static func lay(
        _ width: Int, _ height: Int, _ factors: [Int],
        _ reserve: (Int) -> UnsafeMutablePointer<UInt8>
    ) -> [SamplePlane] {
        let pitch = (width + 1).aligned
        let size = pitch * (height + 1)
        let base = reserve(size * factors.count)
        return factors.enumerated().map { index, factor in
            SamplePlane(
                base + index * size, width: width.over(factor), height: height.over(factor),
                pitch: pitch)
        }
    }

    /// One channel of an interleaved plane, on its own.
    private mutating func split(_ plane: SamplePlane, _ index: Int) -> SamplePlane {
        let single = SamplePlane(
            aligned: channel.reserve(plane.width.aligned * plane.height), width: plane.width,
            height: plane.height)
        for y in 0..<plane.height {
            let from = plane.base + y * plane.pitch + index
            let to = single.base + y * single.pitch
            for x in 0..<plane.width { to[x] = from[x &* plane.channels] }
        }
        return single
    }

    /// Interleaves planes of one size, without padding between the rows. The planes may be gone then.
    private mutating func pack(_ planes: [SamplePlane], _ channels: Int) -> SamplePlane {
        let (width, height) = (planes[0].width, planes[0].height)
        let pixels = SamplePlane(
            packed.reserve(width * height * channels), width: width, height: height,
            channels: channels)
        for (index, plane) in planes.enumerated() {
            for y in 0..<height {
                let from = plane.base + y * plane.pitch
                let to = pixels.base + y * pixels.pitch + index
                for x in 0..<width { to[x &* channels] = from[x] }
            }
        }
        stored.trim(to: Self.keptBytes)
        upright.trim(to: Self.keptBytes)
        return pixels
    }
}
