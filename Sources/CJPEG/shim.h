#pragma once

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>

// The fast decoder replaces libjpeg-turbo's entropy decoder through the module method tables of
// `jpegint.h`, which Debian and Ubuntu install and other systems may not. What is used of them lies
// in the same places in libjpeg-turbo 2.0 to 3.2, with the interface of libjpeg 6b (Debian) or 8
// (Ubuntu). Without them TurboJPEG decodes all pictures. `-DONESHEET_FAST_JPEG=0` leaves the fast
// decoder out, `=1` insists on it.
#ifndef ONESHEET_FAST_JPEG
#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && __has_include(<jpegint.h>)
#define ONESHEET_FAST_JPEG (LIBJPEG_TURBO_VERSION_NUMBER >= 2000000)
#else
#define ONESHEET_FAST_JPEG 0
#endif
#endif

// Where a component's samples go. Its rows come in groups as high as a row of MCUs, so there must
// be memory for that many rows more than it has.
struct onesheet_jpeg_plane {
    unsigned char *base;
    size_t pitch;
    size_t rows;
};

// The planes of a picture at one `denominator`th of its size.
struct onesheet_jpeg_picture {
    int denominator;
    struct onesheet_jpeg_plane planes[3];
};

static inline void onesheet_jpeg_set_plane(
    struct onesheet_jpeg_picture *picture, int index, struct onesheet_jpeg_plane plane)
{
    if (index >= 0 && index < 3) picture->planes[index] = plane;
}

// What C keeps in arrays and Swift would see as tuples.

static inline jpeg_component_info *onesheet_jpeg_component(j_decompress_ptr jpeg, int index)
{
    return jpeg->cur_comp_info[index];
}

// For each block of an MCU the index of its component in the scan.
static inline const int *onesheet_jpeg_membership(j_decompress_ptr jpeg)
{
    return jpeg->MCU_membership;
}

static inline const JHUFF_TBL *onesheet_jpeg_table(j_decompress_ptr jpeg, int is_dc, int index)
{
    return is_dc ? jpeg->dc_huff_tbl_ptrs[index] : jpeg->ac_huff_tbl_ptrs[index];
}

// For each length from 1 to 16 how many codes have it.
static inline const unsigned char *onesheet_jpeg_counts(const JHUFF_TBL *table)
{
    return table->bits + 1;
}

static inline const unsigned char *onesheet_jpeg_symbols(const JHUFF_TBL *table)
{
    return table->huffval;
}

// Whether a progressive picture that was read whole has coefficients without their lowest bits.
static inline int onesheet_jpeg_lacks_bits(j_decompress_ptr jpeg)
{
    if (!jpeg->progressive_mode || !jpeg->coef_bits) return 0;
    for (int i = 0; i < jpeg->num_components; i++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (jpeg->coef_bits[i][k] != 0) return 1;
    return 0;
}

#if ONESHEET_FAST_JPEG

#include <jpegint.h>
#include <jerror.h>

// libjpeg-turbo's decompressor with another entropy decoder. Its markers, coefficient buffers and
// inverse transforms stay, and so does its longjmp: the two functions that are put in its place
// never call the library, so none of their frames is ever jumped over.
struct onesheet_jpeg {
    // The first member, so that a pointer to it is one to the whole.
    struct jpeg_decompress_struct decompressor;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    void (*start_pass)(j_decompress_ptr);
    void (*begin_scan)(j_decompress_ptr);
    boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *);
};

static inline void onesheet_jpeg_fail(j_common_ptr jpeg)
{
    longjmp(((struct onesheet_jpeg *)jpeg)->escape, 1);
}

static inline void onesheet_jpeg_warn(j_common_ptr jpeg, int level)
{
    if (level < 0) onesheet_jpeg_fail(jpeg);
}

static inline void onesheet_jpeg_ignore(j_common_ptr jpeg) { (void)jpeg; }

// The library's own start of a scan, which checks its parameters and tables, and then ours.
static inline void onesheet_jpeg_start_pass(j_decompress_ptr jpeg)
{
    struct onesheet_jpeg *self = (struct onesheet_jpeg *)jpeg;
    self->start_pass(jpeg);
    self->begin_scan(jpeg);
    jpeg->entropy->decode_mcu = self->decode_mcu;
}

static inline void onesheet_jpeg_destroy(struct onesheet_jpeg *self)
{
    if (!self) return;
    jpeg_destroy_decompress(&self->decompressor);
    free(self);
}

// `context` is what the two functions find in `client_data`. NULL when there is no memory.
static inline struct onesheet_jpeg *onesheet_jpeg_create(
    void (*begin_scan)(j_decompress_ptr), boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *),
    void *context)
{
    struct onesheet_jpeg *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->decompressor.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = onesheet_jpeg_fail;
    self->errors.emit_message = onesheet_jpeg_warn;
    self->errors.output_message = onesheet_jpeg_ignore;
    self->begin_scan = begin_scan;
    self->decode_mcu = decode_mcu;
    if (setjmp(self->escape)) {
        onesheet_jpeg_destroy(self);
        return NULL;
    }
    jpeg_create_decompress(&self->decompressor);
    self->decompressor.client_data = context;
    return self;
}

// Reads all scans of a file and keeps its coefficients.
static inline int onesheet_jpeg_consume(j_decompress_ptr jpeg)
{
    int status;
    do status = jpeg_consume_input(jpeg);
    while (status != JPEG_REACHED_EOI && status != JPEG_SUSPENDED);
    return status == JPEG_REACHED_EOI;
}

// Sets the size of all blocks after the inverse transform, under the names of either interface.
// Where it can, the library shrinks coarser components less than luma, to save upsampling. All are
// wanted at one factor: this is how TurboJPEG undoes it, too.
static inline void onesheet_jpeg_set_dct(j_decompress_ptr jpeg, int size)
{
#if JPEG_LIB_VERSION >= 70
    jpeg->min_DCT_h_scaled_size = jpeg->min_DCT_v_scaled_size = size;
#else
    jpeg->min_DCT_scaled_size = size;
#endif
    jpeg->output_width = (jpeg->image_width * size + DCTSIZE - 1) / DCTSIZE;
    jpeg->output_height = (jpeg->image_height * size + DCTSIZE - 1) / DCTSIZE;
    for (int i = 0; i < jpeg->num_components; i++) {
        jpeg_component_info *component = &jpeg->comp_info[i];
#if JPEG_LIB_VERSION >= 70
        component->DCT_h_scaled_size = component->DCT_v_scaled_size = size;
#else
        component->DCT_scaled_size = size;
#endif
        component->MCU_sample_width = component->MCU_width * size;
    }
}

static inline int onesheet_jpeg_read_rows(
    j_decompress_ptr jpeg, const struct onesheet_jpeg_plane *planes, int size)
{
    JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
    JSAMPARRAY components[3] = {rows[0], rows[1], rows[2]};
    JDIMENSION height = jpeg->max_v_samp_factor * size;
    for (JDIMENSION group = 0; group < jpeg->total_iMCU_rows; group++) {
        for (int i = 0; i < jpeg->num_components; i++) {
            size_t count = jpeg->comp_info[i].v_samp_factor * size;
            for (size_t row = 0; row < count; row++)
                rows[i][row] = planes[i].base + (group * count + row) * planes[i].pitch;
        }
        if (jpeg_read_raw_data(jpeg, components, height) != height) return 0;
    }
    return 1;
}

// Transforms what was read, or what is read meanwhile, to the planes of one picture.
static inline int onesheet_jpeg_show(
    j_decompress_ptr jpeg, const struct onesheet_jpeg_picture *picture)
{
    int size = DCTSIZE / picture->denominator;
    for (int i = 0; i < jpeg->num_components; i++) {
        jpeg_component_info *component = &jpeg->comp_info[i];
        size_t rows = (size_t)jpeg->total_iMCU_rows * component->v_samp_factor * size;
        if (rows > picture->planes[i].rows
            || (size_t)component->width_in_blocks * size > picture->planes[i].pitch)
            return 0;
    }
    onesheet_jpeg_set_dct(jpeg, size);
    // Chooses the transforms by the size of the blocks.
    if (jpeg->buffered_image && !jpeg_start_output(jpeg, jpeg->input_scan_number)) return 0;
    for (int i = 0; i < jpeg->num_components; i++)
        jpeg->idct->inverse_DCT[i] = jpeg->idct->inverse_DCT[0];
    if (!onesheet_jpeg_read_rows(jpeg, picture->planes, size)) return 0;
    return !jpeg->buffered_image || jpeg_finish_output(jpeg);
}

// Decodes a whole file of `components` planes once, and shows it in `count` sizes. Returns 0 for
// any error or warning, and for what the two functions do not read; the planes are undefined then.
// Returns 2 where coefficients lack bits.
static inline int onesheet_jpeg_read(
    struct onesheet_jpeg *self, const unsigned char *bytes, size_t size,
    const struct onesheet_jpeg_picture *pictures, int count, int components)
{
    j_decompress_ptr jpeg = &self->decompressor;
    if (setjmp(self->escape)) {
        jpeg_abort_decompress(jpeg);
        return 0;
    }
    jpeg_mem_src(jpeg, bytes, size);
    jpeg_read_header(jpeg, TRUE);
    jpeg->raw_data_out = TRUE;
    jpeg->scale_num = 1;
    jpeg->scale_denom = pictures[0].denominator;
    // Has the library keep all coefficients, for another size or another scan. It also keeps the
    // library from reading the scans before the functions are in place.
    jpeg->buffered_image = count > 1 || jpeg_has_multiple_scans(jpeg);
    if (jpeg->num_components != components || components > 3 || !jpeg_start_decompress(jpeg))
        onesheet_jpeg_fail((void *)jpeg);
    self->start_pass = jpeg->entropy->start_pass;
    jpeg->entropy->start_pass = onesheet_jpeg_start_pass;
    self->begin_scan(jpeg);
    jpeg->entropy->decode_mcu = self->decode_mcu;
    if (jpeg->buffered_image && !onesheet_jpeg_consume(jpeg)) onesheet_jpeg_fail((void *)jpeg);
    for (int i = 0; i < count; i++)
        if (!onesheet_jpeg_show(jpeg, &pictures[i])) onesheet_jpeg_fail((void *)jpeg);
    int lacks_bits = onesheet_jpeg_lacks_bits(jpeg);
    if (!jpeg_finish_decompress(jpeg)) onesheet_jpeg_fail((void *)jpeg);
    return lacks_bits ? 2 : 1;
}

#define ONESHEET_TEXT(x) ONESHEET_TEXT_OF(x)
#define ONESHEET_TEXT_OF(x) #x

// Why the fast decoder must not be used with the library that is loaded, or NULL. The library has
// no function that tells its version. But every version that has other structures has other messages, too,
// and the header that came with the structures lists the messages.
static inline const char *onesheet_jpeg_trouble(void)
{
    static const char *const trouble =
        "built for libjpeg-turbo " ONESHEET_TEXT(LIBJPEG_TURBO_VERSION)
        ", and another version is loaded";
#define JCOPYRIGHT_SHORT NULL
#define JVERSION NULL
#define JMESSAGE(code, string) string,
    static const char *const messages[] = {
#include <jerror.h>
    };
#undef JCOPYRIGHT_SHORT
#undef JVERSION
    struct jpeg_error_mgr errors;
    jpeg_std_error(&errors);
    if (errors.last_jpeg_message != JMSG_LASTMSGCODE - 1) return trouble;
    for (int i = 0; i < JMSG_LASTMSGCODE; i++)
        if (messages[i] && strcmp(messages[i], errors.jpeg_message_table[i])) return trouble;
    return NULL;
}

#else

struct onesheet_jpeg {
    int unused;
};

static inline struct onesheet_jpeg *onesheet_jpeg_create(
    void (*begin_scan)(j_decompress_ptr), boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *),
    void *context)
{
    (void)begin_scan, (void)decode_mcu, (void)context;
    return NULL;
}

static inline void onesheet_jpeg_destroy(struct onesheet_jpeg *self) { (void)self; }

static inline int onesheet_jpeg_read(
    struct onesheet_jpeg *self, const unsigned char *bytes, size_t size,
    const struct onesheet_jpeg_picture *pictures, int count, int components)
{
    (void)self, (void)bytes, (void)size, (void)pictures, (void)count, (void)components;
    return 0;
}

static inline const char *onesheet_jpeg_trouble(void) { return "left out of this build"; }

#endif
