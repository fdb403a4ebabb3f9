/// Where a thumbnail's pixels come from: which part of the stored picture, made how large, and
/// then turned how.
struct ThumbnailGeometry: Equatable, Sendable {
    /// A part of a picture, in pixels from its top left corner; edges may fall between pixels.
    struct Region: Hashable, Sendable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
    }

    /// The thumbnail's pixels a row, upright.
    let width: Int
    /// The thumbnail's rows, upright.
    let height: Int
    /// The part of the stored picture that it shows.
    let region: Region
    /// The turn that the stored picture needs.
    let orientation: Orientation

    /// Fits a stored picture, turned upright, into the variant's box. Never enlarges: for
    /// `cover` a box that is larger than the picture shrinks and keeps its shape, for `contain`
    /// the picture keeps its size. A WebP with transparency is made smaller to
    /// ``ThumbnailVariant/maxClearWebPPixels``, in the same shape.
    init(
        _ variant: ThumbnailVariant, storedWidth: Int, storedHeight: Int,
        orientation: Orientation, isClear: Bool = false
    ) {
        let turned = orientation.swapsAxes
        let (fullWidth, fullHeight) =
            turned ? (storedHeight, storedWidth) : (storedWidth, storedHeight)
        let box = (
            width: variant.width ?? ThumbnailVariant.maxWidth,
            height: variant.height ?? ThumbnailVariant.maxHeight
        )
        let limit =
            isClear && variant.format == .webp
            ? Double(ThumbnailVariant.maxClearWebPPixels) : .infinity
        switch variant.fit {
        case .cover:
            let shrink = min(
                1, Double(fullWidth) / Double(box.width), Double(fullHeight) / Double(box.height),
                (limit / Double(box.width * box.height)).squareRoot())
            width = Self.pixels(Double(box.width) * shrink, atMost: fullWidth)
            height = Self.pixels(Double(box.height) * shrink, atMost: fullHeight)
        case .contain:
            let scale = min(
                1, Double(box.width) / Double(fullWidth), Double(box.height) / Double(fullHeight),
                (limit / Double(fullWidth * fullHeight)).squareRoot())
            width = Self.pixels(Double(fullWidth) * scale, atMost: box.width)
            height = Self.pixels(Double(fullHeight) * scale, atMost: box.height)
        }
        var shown = Region(x: 0, y: 0, width: Double(fullWidth), height: Double(fullHeight))
        if variant.fit == .cover {
            let scale = min(shown.width / Double(width), shown.height / Double(height))
            shown.width = scale * Double(width)
            shown.height = scale * Double(height)
            shown.x = (Double(fullWidth) - shown.width) / 2
            shown.y = (Double(fullHeight) - shown.height) / 2
        }
        // A centred part is the same part after any mirroring, so only the axes can swap.
        region =
            turned
            ? Region(x: shown.y, y: shown.x, width: shown.height, height: shown.width) : shown
        self.orientation = orientation
    }

    /// Pixels a row before the turn.
    var storedWidth: Int { orientation.swapsAxes ? height : width }
    /// Rows before the turn.
    var storedHeight: Int { orientation.swapsAxes ? width : height }

    /// The most that a decoder may shrink the picture, of 1, 2, 4 and 8, and still leave two
    /// samples a pixel along both axes; 1 where even the whole has fewer.
    ///
    /// Two a pixel is where the mean SSIM against an ideal Lanczos of the whole picture is still
    /// that of the ideal's own JPEG (0.9708 of 0.9711 at 120×180, quality 82); with 1.35 samples
    /// a pixel it is not (0.9726 of 0.9744 at 185×278).
    var reduction: Int {
        let available = min(
            region.width / Double(storedWidth), region.height / Double(storedHeight))
        return [8, 4, 2].first { available >= Double(2 * $0) } ?? 1
    }

    /// The part that a plane shows whose samples cover `columns` × `rows` thumbnail pixels each.
    ///
    /// Where these do not divide the thumbnail, the last sample reaches beyond its edge, and the
    /// region reaches as far: that keeps colour in place. The edge in question is the upright
    /// one, which a mirrored picture stores first.
    func region(columns: Int, rows: Int) -> Region {
        let samples = (
            across: (storedWidth + columns - 1) / columns, down: (storedHeight + rows - 1) / rows
        )
        let (perColumn, perRow) = (
            region.width / Double(storedWidth), region.height / Double(storedHeight)
        )
        var grown = region
        grown.width = perColumn * Double(samples.across * columns)
        grown.height = perRow * Double(samples.down * rows)
        if orientation.mirrorsColumns { grown.x += region.width - grown.width }
        if orientation.mirrorsRows { grown.y += region.height - grown.height }
        return grown
    }

    private static func pixels(_ exact: Double, atMost limit: Int) -> Int {
        min(limit, max(1, Int(exact.rounded())))
    }
}
