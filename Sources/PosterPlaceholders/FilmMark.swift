import CPango
import PosterImages

/// The sign of a film: a frame between two rows of perforation; waiting dots in it where the
/// poster is only late.
struct FilmMark: Sendable {
    let kind: PlaceholderRequest.Kind

    /// Draws into a square area.
    func draw(
        in area: Area, _ palette: PlaceholderPalette, on cairo: OpaquePointer?,
        with pango: DrawingLibrary
    ) {
        pango.cairo_save(cairo)
        defer { pango.cairo_restore(cairo) }
        pango.cairo_translate(cairo, area.x, area.y)
        pango.cairo_scale(cairo, area.width, area.height)
        pango.cairo_set_source_rgb(cairo, palette.mark.red, palette.mark.green, palette.mark.blue)
        strip(on: cairo, with: pango)
        if kind == .unavailable { dots(on: cairo, with: pango) }
    }

    /// One path, filled by the even-odd rule: what lies inside the outline is cut out of it.
    private func strip(on cairo: OpaquePointer?, with pango: DrawingLibrary) {
        pango.cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD)
        rounded(x: 0, y: 0.08, width: 1, height: 0.84, radius: 0.09, on: cairo, with: pango)
        rounded(x: 0.24, y: 0.18, width: 0.52, height: 0.64, radius: 0.04, on: cairo, with: pango)
        for x in [0.07, 0.83] {
            for row in 0..<4 {
                rounded(
                    x: x, y: 0.18 + Double(row) * 0.1767, width: 0.10, height: 0.11, radius: 0.025,
                    on: cairo, with: pango)
            }
        }
        pango.cairo_fill(cairo)
    }

    private func dots(on cairo: OpaquePointer?, with pango: DrawingLibrary) {
        for x in [0.36, 0.50, 0.64] {
            pango.cairo_new_sub_path(cairo)
            pango.cairo_arc(cairo, x, 0.5, 0.042, 0, 2 * .pi)
        }
        pango.cairo_fill(cairo)
    }

    private func rounded(
        x: Double, y: Double, width: Double, height: Double, radius: Double,
        on cairo: OpaquePointer?, with pango: DrawingLibrary
    ) {
        let (right, bottom, quarter) = (x + width, y + height, Double.pi / 2)
        pango.cairo_new_sub_path(cairo)
        pango.cairo_arc(cairo, right - radius, y + radius, radius, -quarter, 0)
        pango.cairo_arc(cairo, right - radius, bottom - radius, radius, 0, quarter)
        pango.cairo_arc(cairo, x + radius, bottom - radius, radius, quarter, 2 * quarter)
        pango.cairo_arc(cairo, x + radius, y + radius, radius, 2 * quarter, 3 * quarter)
        pango.cairo_close_path(cairo)
    }
}
