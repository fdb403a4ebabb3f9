#include <dlfcn.h>
#include <pango/pangocairo.h>

// Pango and Cairo stand on thirty libraries that the dynamic loader needs longer for than most
// commands run. So nothing is linked: the first placeholder opens them, and calls through a table
// whose types are those of the headers.
#define ONESHEET_DRAWING(FUNCTION)                \
    FUNCTION(cairo_arc)                           \
    FUNCTION(cairo_close_path)                    \
    FUNCTION(cairo_create)                        \
    FUNCTION(cairo_destroy)                       \
    FUNCTION(cairo_fill)                          \
    FUNCTION(cairo_font_options_create)           \
    FUNCTION(cairo_font_options_destroy)          \
    FUNCTION(cairo_font_options_set_antialias)    \
    FUNCTION(cairo_font_options_set_hint_metrics) \
    FUNCTION(cairo_font_options_set_hint_style)   \
    FUNCTION(cairo_image_surface_create_for_data) \
    FUNCTION(cairo_new_sub_path)                  \
    FUNCTION(cairo_rectangle)                     \
    FUNCTION(cairo_restore)                       \
    FUNCTION(cairo_save)                          \
    FUNCTION(cairo_scale)                         \
    FUNCTION(cairo_set_fill_rule)                 \
    FUNCTION(cairo_set_source_rgb)                \
    FUNCTION(cairo_status)                        \
    FUNCTION(cairo_status_to_string)              \
    FUNCTION(cairo_surface_destroy)               \
    FUNCTION(cairo_surface_flush)                 \
    FUNCTION(cairo_translate)                     \
    FUNCTION(g_object_unref)                      \
    FUNCTION(g_utf8_pointer_to_offset)            \
    FUNCTION(pango_attr_insert_hyphens_new)       \
    FUNCTION(pango_attr_list_insert)              \
    FUNCTION(pango_attr_list_new)                 \
    FUNCTION(pango_attr_list_unref)               \
    FUNCTION(pango_cairo_context_set_font_options) \
    FUNCTION(pango_cairo_font_map_get_default)    \
    FUNCTION(pango_cairo_show_layout)             \
    FUNCTION(pango_context_set_language)          \
    FUNCTION(pango_context_set_round_glyph_positions) \
    FUNCTION(pango_font_description_free)         \
    FUNCTION(pango_font_description_from_string)  \
    FUNCTION(pango_font_description_set_absolute_size) \
    FUNCTION(pango_font_map_create_context)       \
    FUNCTION(pango_glyph_item_get_logical_widths) \
    FUNCTION(pango_language_from_string)          \
    FUNCTION(pango_layout_get_line_readonly)      \
    FUNCTION(pango_layout_get_log_attrs_readonly) \
    FUNCTION(pango_layout_get_size)               \
    FUNCTION(pango_layout_get_text)               \
    FUNCTION(pango_layout_get_unknown_glyphs_count) \
    FUNCTION(pango_layout_get_width)              \
    FUNCTION(pango_layout_new)                    \
    FUNCTION(pango_layout_set_alignment)          \
    FUNCTION(pango_layout_set_attributes)         \
    FUNCTION(pango_layout_set_ellipsize)          \
    FUNCTION(pango_layout_set_font_description)   \
    FUNCTION(pango_layout_set_height)             \
    FUNCTION(pango_layout_set_text)               \
    FUNCTION(pango_layout_set_width)              \
    FUNCTION(pango_layout_set_wrap)               \
    FUNCTION(pango_units_from_double)             \
    FUNCTION(pango_units_to_double)

struct onesheet_drawing {
#define ONESHEET_FIELD(name) __typeof__(&name) _Nonnull name;
    ONESHEET_DRAWING(ONESHEET_FIELD)
#undef ONESHEET_FIELD
};

// Fills the table; what is missing when something is, in dlerror's words, else NULL. The library
// stays open: what it stands on keeps threads and atexit handlers.
static inline const char *_Nullable onesheet_drawing_open(
    struct onesheet_drawing *_Nonnull table) {
    void *library = dlopen("libpangocairo-1.0.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return dlerror();
    void *symbol;
#define ONESHEET_LOOK_UP(name)                   \
    symbol = dlsym(library, #name);              \
    if (!symbol) return dlerror();               \
    table->name = (__typeof__(&name))symbol;
    ONESHEET_DRAWING(ONESHEET_LOOK_UP)
#undef ONESHEET_LOOK_UP
    return 0;
}
