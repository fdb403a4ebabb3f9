#include <png.h>
#include <setjmp.h>
#include <string.h>
#include <zlib.h>

// libpng's simplified API writes beyond its buffer where it takes an interlaced picture of 16 bits
// to 8 (CVE-2025-65018, mended in 1.6.51), and shows its rows in the wrong places. Such a picture is
// read row by row instead, through the API of old, whose longjmp ends in here.

struct onesheet_png_source {
    const unsigned char *bytes;
    size_t left;
    char *message;
    size_t message_size;
};

static inline void onesheet_png_take(png_structp png, png_bytep to, size_t count)
{
    struct onesheet_png_source *source = png_get_io_ptr(png);
    if (count > source->left) png_error(png, "the stream ends early");
    memcpy(to, source->bytes, count);
    source->bytes += count;
    source->left -= count;
}

static inline void onesheet_png_fail(png_structp png, png_const_charp message)
{
    struct onesheet_png_source *source = png_get_error_ptr(png);
    strncpy(source->message, message, source->message_size - 1);
    png_longjmp(png, 1);
}

static inline void onesheet_png_ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

// Decodes a whole stream to rows of `pitch` bytes with 8-bit samples, in sRGB by its gAMA chunk.
// Returns 0 and leaves a text in `message`, which must be zeros, when that fails.
static inline int onesheet_png_read_rows(
    const unsigned char *bytes, size_t count, int with_alpha, unsigned char *rows, size_t pitch,
    size_t height, char *message, size_t message_size)
{
    struct onesheet_png_source source = {bytes, count, message, message_size};
    png_infop info = NULL;
    png_structp png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, &source, onesheet_png_fail, onesheet_png_ignore);
    if (png) info = png_create_info_struct(png);
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        strncpy(message, "out of memory", message_size - 1);
        return 0;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return 0;
    }
    png_set_read_fn(png, &source, onesheet_png_take);
    png_read_info(png, info);
    double gamma;
    if (!png_get_valid(png, info, PNG_INFO_sRGB) && png_get_gAMA(png, info, &gamma))
        png_set_gamma(png, PNG_DEFAULT_sRGB, gamma);
    png_set_expand(png);
    if (with_alpha) png_set_gray_to_rgb(png);
    png_set_scale_16(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) > pitch || png_get_image_height(png, info) != height)
        png_error(png, "the decoder sees another picture");
    for (int pass = 0; pass < passes; pass++)
        for (size_t row = 0; row < height; row++) png_read_row(png, rows + row * pitch, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return 1;
}

struct onesheet_png_sink {
    unsigned char *bytes;
    size_t used;
    size_t size;
    char *message;
    size_t message_size;
};

static inline void onesheet_png_give(png_structp png, png_bytep from, size_t count)
{
    struct onesheet_png_sink *sink = png_get_io_ptr(png);
    if (count > sink->size - sink->used) png_error(png, "the buffer is full");
    memcpy(sink->bytes + sink->used, from, count);
    sink->used += count;
}

static inline void onesheet_png_flush(png_structp png) { (void)png; }

static inline void onesheet_png_write_fail(png_structp png, png_const_charp message)
{
    struct onesheet_png_sink *sink = png_get_error_ptr(png);
    strncpy(sink->message, message, sink->message_size - 1);
    png_longjmp(png, 1);
}

// Writes rows of 8-bit samples (1 channel grey, 3 RGB, 4 RGBA) as a PNG in sRGB, with zlib's
// run-length strategy, which the simplified API does not offer. Returns the number of bytes; 0, with
// a text in `message`, which must be zeros, when that fails.
static inline size_t onesheet_png_write_rows(
    const unsigned char *rows, size_t pitch, unsigned width, unsigned height, int channels,
    unsigned char *bytes, size_t size, char *message, size_t message_size)
{
    struct onesheet_png_sink sink = {bytes, 0, size, message, message_size};
    png_infop info = NULL;
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, &sink, onesheet_png_write_fail, onesheet_png_ignore);
    if (png) info = png_create_info_struct(png);
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        strncpy(message, "out of memory", message_size - 1);
        return 0;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_set_write_fn(png, &sink, onesheet_png_give, onesheet_png_flush);
    int type = channels == 4   ? PNG_COLOR_TYPE_RGB_ALPHA
               : channels == 3 ? PNG_COLOR_TYPE_RGB
                               : PNG_COLOR_TYPE_GRAY;
    png_set_IHDR(
        png, info, width, height, 8, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP | PNG_FILTER_AVG);
    png_set_compression_level(png, 1);
    png_set_compression_strategy(png, Z_RLE);
    png_set_compression_buffer_size(png, 1 << 16);
    png_write_info(png, info);
    for (size_t row = 0; row < height; row++) png_write_row(png, rows + row * pitch);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return sink.used;
}
