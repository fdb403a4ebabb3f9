import CPango
import PosterImages

/// A title set into an area: the number of lines that allows the largest type, lines of nearly
/// one length, an ellipsis only where the smallest type is still too large.
///
/// All is measured once, at one type size, and scaled when it is drawn: so a placeholder breaks
/// its lines alike at every pixel density, and one font serves all sizes.
struct TitleSetting: ~Copyable {
    /// The size that text is measured at, in pixels.
    private static let measuredSize = 64.0
    /// The largest type, as a share of the area's width.
    private static let largestShare = 0.17

    private let pango: DrawingLibrary
    private let layout: OpaquePointer
    /// Pixels drawn for a pixel measured.
    private let scale: Double

    /// Sets `text`; `nil` when no font has letters for it.
    init?(
        _ text: TitleText, in area: Area, smallest: Double, with pango: DrawingLibrary
    ) {
        guard let layout = Self.makeLayout(text, with: pango) else { return nil }
        guard pango.pango_layout_get_unknown_glyphs_count(layout) == 0,
            let measure = TitleMeasure(layout, keepsWords: text.language == "ko", with: pango)
        else {
            pango.g_object_unref(UnsafeMutableRawPointer(layout))
            return nil
        }
        self.pango = pango
        self.layout = layout
        let smallestScale = smallest / Self.measuredSize
        let largestScale = max(
            smallestScale, area.width * Self.largestShare / Self.measuredSize)
        if let best = measure.bestLines(
            width: area.width, height: area.height, largestScale: largestScale),
            best.scale >= smallestScale
        {
            scale = best.scale
            // The lines are ours: Pango would break them at other places where more are allowed.
            let lines = text.broken(at: measure.lineStarts(width: best.lineWidth))
            pango.pango_layout_set_text(layout, lines, Int32(lines.utf8.count))
        } else {
            scale = smallestScale
            pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
            pango.pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            // Negative: lines. As many as the area holds, and no more than a poster bears.
            let lines = area.height / max(measure.lineHeight * scale, 1)
            pango.pango_layout_set_height(
                layout, -Int32(max(1, min(lines, Double(TitleMeasure.maxLines)))))
            pango.pango_layout_set_width(layout, pango.pango_units_from_double(area.width / scale))
        }
    }

    deinit { pango.g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Draws the title into the middle of the area, and nothing outside of it.
    func draw(in area: Area, _ ink: Color, on cairo: OpaquePointer?) {
        var (width, height) = (Int32(0), Int32(0))
        pango.pango_layout_get_size(layout, &width, &height)
        let drawnHeight = pango.pango_units_to_double(height) * scale
        // Lines lie in the middle of the layout's width, or of the longest one where none is set.
        let lineWidth =
            pango.pango_units_to_double(max(pango.pango_layout_get_width(layout), width)) * scale
        pango.cairo_save(cairo)
        defer { pango.cairo_restore(cairo) }
        pango.cairo_translate(
            cairo, area.x + (area.width - lineWidth) / 2,
            area.y + max(0, (area.height - drawnHeight) / 2))
        pango.cairo_scale(cairo, scale, scale)
        pango.cairo_set_source_rgb(cairo, ink.red, ink.green, ink.blue)
        pango.pango_cairo_show_layout(cairo, layout)
    }

    private static func makeLayout(
        _ text: TitleText, with pango: DrawingLibrary
    ) -> OpaquePointer? {
        guard
            let context = pango.pango_font_map_create_context(
                pango.pango_cairo_font_map_get_default())
        else {
            return nil
        }
        defer { pango.g_object_unref(UnsafeMutableRawPointer(context)) }
        // What a desktop sets up for its screen has no say: the same pixels everywhere, and
        // letters that keep their shape when scaled.
        let options = pango.cairo_font_options_create()
        pango.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        pango.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        pango.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango.pango_cairo_context_set_font_options(context, options)
        pango.cairo_font_options_destroy(options)
        pango.pango_context_set_round_glyph_positions(context, 0)
        pango.pango_context_set_language(
            context, pango.pango_language_from_string(text.language ?? "en"))

        guard let layout = pango.pango_layout_new(context) else { return nil }
        let font = pango.pango_font_description_from_string("Sans Semi-Bold")
        pango.pango_font_description_set_absolute_size(font, measuredSize * Double(PANGO_SCALE))
        pango.pango_layout_set_font_description(layout, font)
        pango.pango_font_description_free(font)
        pango.pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
        let attributes = pango.pango_attr_list_new()
        pango.pango_attr_list_insert(attributes, pango.pango_attr_insert_hyphens_new(0))
        pango.pango_layout_set_attributes(layout, attributes)
        pango.pango_attr_list_unref(attributes)
        // Text, never markup.
        pango.pango_layout_set_text(layout, text.text, Int32(text.text.utf8.count))
        return layout
    }
}
