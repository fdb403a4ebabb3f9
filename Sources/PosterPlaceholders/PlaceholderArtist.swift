import CPango
import PosterImages

/// Draws placeholders with Cairo and Pango. Stateless; blocks for the drawing.
///
/// Any number of threads may draw at once: each has Pango's default font map of its own
/// (pangocairo-fontmap.h, since 1.32.6), and Cairo and Fontconfig lock what they share.
struct PlaceholderArtist: Sendable {
    /// Draws at the exact size asked for. The same request, the same pixels, given the same fonts.
    /// `canvas` is memory to draw in, which the returned picture has then; what it holds does not
    /// matter.
    func draw(
        _ request: PlaceholderRequest, on canvas: consuming [UInt8] = []
    ) throws(ImageError) -> PixelBuffer {
        let pango = try DrawingLibrary.open()
        let layout = PixelBuffer.Layout.bgrx
        var samples = canvas
        // The ground covers every pixel, so nothing need be cleared.
        samples.setCount(request.width * request.height * layout.bytesPerPixel)
        let status = samples.withUnsafeMutableBufferPointer { samples in
            let surface = pango.cairo_image_surface_create_for_data(
                samples.baseAddress, CAIRO_FORMAT_RGB24, Int32(request.width),
                Int32(request.height), Int32(request.width * layout.bytesPerPixel))
            let cairo = pango.cairo_create(surface)
            Self.paint(request, on: cairo, with: pango)
            defer {
                pango.cairo_destroy(cairo)
                pango.cairo_surface_flush(surface)
                pango.cairo_surface_destroy(surface)
            }
            return pango.cairo_status(cairo)
        }
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .codec(
                "cairo: \(pango.cairo_status_to_string(status).map { String(cString: $0) } ?? "failed")"
            )
        }
        return PixelBuffer(
            width: request.width, height: request.height, layout: layout, samples: samples)
    }

    private static func paint(
        _ request: PlaceholderRequest, on cairo: OpaquePointer?, with pango: DrawingLibrary
    ) {
        let palette = PlaceholderPalette(
            seed: request.seed.isEmpty ? request.title ?? "" : request.seed, kind: request.kind)
        let (width, height) = (Double(request.width), Double(request.height))
        fillGround(palette, width: width, height: height, on: cairo, with: pango)

        let mark = FilmMark(kind: request.kind)
        let areas = PlaceholderAreas(width: width, height: height)
        let text = TitleText(request.title ?? "")
        if !text.isEmpty, areas.holdsTitle,
            let title = TitleSetting(
                text, in: areas.title, smallest: areas.smallestType,
                with: pango)
        {
            mark.draw(in: areas.markWithTitle, palette, on: cairo, with: pango)
            title.draw(in: areas.title, palette.ink, on: cairo)
        } else {
            mark.draw(in: areas.markAlone, palette, on: cairo, with: pango)
        }
    }

    /// From a little lighter above to a little darker below, as light falls on paper: in bands of
    /// one colour, each at most one step of 8 bits from the next. They are as high as the blocks
    /// of a JPEG where there is room, which makes the ground cost a third of a smooth gradient.
    private static func fillGround(
        _ palette: PlaceholderPalette, width: Double, height: Double, on cairo: OpaquePointer?,
        with pango: DrawingLibrary
    ) {
        let bandHeight = max(1, min(16, (height / 32).rounded(.down)))
        for top in stride(from: 0, to: height, by: bandHeight) {
            let share = min(1, (top + bandHeight / 2) / height)
            let color = palette.groundAbove.mixed(with: palette.groundBelow, share: share)
            pango.cairo_set_source_rgb(cairo, color.red, color.green, color.blue)
            pango.cairo_rectangle(cairo, 0, top, width, bandHeight)
            pango.cairo_fill(cairo)
        }
    }
}

extension [UInt8] {
    /// Makes it so many bytes long, in the memory that it has where that is enough. What it holds then
    /// is undefined.
    fileprivate mutating func setCount(_ count: Int) {
        if count > capacity {
            // Not both at once, and nothing is copied.
            self = []
            self = Array(unsafeUninitializedCapacity: count) { $1 = count }
        } else if count > self.count {
            append(contentsOf: repeatElement(0, count: count - self.count))
        } else {
            removeLast(self.count - count)
        }
    }
}
