#include "shim.h"

// libjpeg-turbo's compressor with all that TurboJPEG leaves out: scan scripts, restart intervals,
// any sampling factors, optimised tables. Its longjmp ends in here. The generator of test pictures
// uses it; the program does not.

struct onesheet_jpeg_writer_errors {
    struct jpeg_error_mgr base;
    jmp_buf escape;
};

// One scan: all components (-1) or one; the band of coefficients; how many low bits are left to
// later scans, and how many were left before (0 for the first scan of a band).
struct onesheet_jpeg_writer_scan {
    int component;
    int first, last;
    int high, low;
};

struct onesheet_jpeg_writer {
    int width, height;
    // 1 for grey, 3 for RGB pixels that become luma and chroma.
    int channels;
    // Of luma; chroma has one block each.
    int horizontal, vertical;
    int quality;
    int is_progressive, is_arithmetic, has_optimal_tables, is_coarse_dct;
    unsigned restart_interval;
    // NULL for the library's own.
    const struct onesheet_jpeg_writer_scan *scans;
    int scan_count;
};

static inline void onesheet_jpeg_writer_fail(j_common_ptr jpeg)
{
    longjmp(((struct onesheet_jpeg_writer_errors *)jpeg->err)->escape, 1);
}

// Encodes rows of interleaved pixels. Returns memory for `free`, or NULL when the library refuses
// the parameters.
static inline unsigned char *onesheet_jpeg_write(
    const struct onesheet_jpeg_writer *how, const unsigned char *pixels, unsigned long *size)
{
    struct jpeg_compress_struct jpeg;
    struct onesheet_jpeg_writer_errors errors;
    jpeg_scan_info *volatile scans = NULL;
    unsigned char *output = NULL;
    *size = 0;
    jpeg.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = onesheet_jpeg_writer_fail;
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&jpeg);
        free((void *)scans);
        return NULL;
    }
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &output, size);
    jpeg.image_width = how->width;
    jpeg.image_height = how->height;
    jpeg.input_components = how->channels;
    jpeg.in_color_space = how->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, how->quality, TRUE);
    jpeg.comp_info[0].h_samp_factor = how->horizontal;
    jpeg.comp_info[0].v_samp_factor = how->vertical;
    jpeg.dct_method = how->is_coarse_dct ? JDCT_IFAST : JDCT_ISLOW;
    jpeg.restart_interval = how->restart_interval;
    jpeg.arith_code = how->is_arithmetic;
    if (how->is_progressive) jpeg_simple_progression(&jpeg);
    jpeg.optimize_coding = how->has_optimal_tables && !how->is_arithmetic;
    if (how->scan_count > 0) {
        scans = calloc(how->scan_count, sizeof *scans);
        if (!scans) onesheet_jpeg_writer_fail((j_common_ptr)&jpeg);
        for (int i = 0; i < how->scan_count; i++) {
            const struct onesheet_jpeg_writer_scan *from = &how->scans[i];
            jpeg_scan_info *to = (jpeg_scan_info *)&scans[i];
            to->comps_in_scan = from->component < 0 ? how->channels : 1;
            for (int c = 0; c < to->comps_in_scan; c++)
                to->component_index[c] = from->component < 0 ? c : from->component;
            to->Ss = from->first;
            to->Se = from->last;
            to->Ah = from->high;
            to->Al = from->low;
        }
        jpeg.scan_info = (jpeg_scan_info *)scans;
        jpeg.num_scans = how->scan_count;
    }
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (JSAMPROW)pixels
            + (size_t)jpeg.next_scanline * how->width * how->channels;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free((void *)scans);
    return output;
}
