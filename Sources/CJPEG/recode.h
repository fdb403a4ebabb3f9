#include "shim.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

// A JPEG's coefficients, coded once more: the same picture without the bytes that belong to no part
// of it. By libjpeg's public interface alone.

struct onesheet_jpeg_recoder {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct source;
    struct jpeg_compress_struct target;
    struct jpeg_destination_mgr destination;
    jmp_buf escape;
    size_t stray;
    size_t most_stray;
};

static inline void onesheet_jpeg_recode_fail(j_common_ptr jpeg)
{
    struct onesheet_jpeg_recoder *self = jpeg->client_data;
    longjmp(self->escape, 1);
}

static inline void onesheet_jpeg_recode_warn(j_common_ptr jpeg, int level)
{
    struct onesheet_jpeg_recoder *self = jpeg->client_data;
    if (level >= 0) return;
    if (jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) longjmp(self->escape, 1);
    self->stray += (size_t)jpeg->err->msg_parm.i[0];
    if (self->stray > self->most_stray) longjmp(self->escape, 1);
}

static inline void onesheet_jpeg_recode_ignore(j_common_ptr jpeg) { (void)jpeg; }

static inline void onesheet_jpeg_recode_start(j_compress_ptr jpeg) { (void)jpeg; }

static inline boolean onesheet_jpeg_recode_full(j_compress_ptr jpeg)
{
    onesheet_jpeg_recode_fail((j_common_ptr)jpeg);
    return FALSE;
}

// Writes to `output`, which has room for `room` bytes. Returns how many; 0 for any error, any
// warning but of bytes before a marker, more than `most_stray` of these, and coefficients that lack
// bits, which a decoder would guess.
static inline size_t onesheet_jpeg_recode(
    const unsigned char *bytes, size_t size, size_t most_stray, unsigned char *output, size_t room)
{
    struct onesheet_jpeg_recoder *self = calloc(1, sizeof *self);
    if (!self) return 0;
    self->most_stray = most_stray;
    self->source.err = self->target.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = onesheet_jpeg_recode_fail;
    self->errors.emit_message = onesheet_jpeg_recode_warn;
    self->errors.output_message = onesheet_jpeg_recode_ignore;
    self->source.client_data = self->target.client_data = self;
    size_t made = 0;
    if (!setjmp(self->escape)) {
        jpeg_create_decompress(&self->source);
        jpeg_create_compress(&self->target);
        jpeg_mem_src(&self->source, bytes, size);
        jpeg_read_header(&self->source, TRUE);
        jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&self->source);
        if (onesheet_jpeg_lacks_bits(&self->source)) longjmp(self->escape, 1);
        jpeg_copy_critical_parameters(&self->source, &self->target);
        // Arithmetic codes have room for every coefficient; Huffman codes have none for what damage
        // makes of them, and there the verdict must be that of the other decoder, too.
        self->target.arith_code = TRUE;
        self->destination.init_destination = onesheet_jpeg_recode_start;
        self->destination.empty_output_buffer = onesheet_jpeg_recode_full;
        self->destination.term_destination = onesheet_jpeg_recode_start;
        self->destination.next_output_byte = output;
        self->destination.free_in_buffer = room;
        self->target.dest = &self->destination;
        jpeg_write_coefficients(&self->target, coefficients);
        jpeg_finish_compress(&self->target);
        jpeg_finish_decompress(&self->source);
        made = room - self->destination.free_in_buffer;
    } else {
        made = 0;
    }
    jpeg_destroy_compress(&self->target);
    jpeg_destroy_decompress(&self->source);
    free(self);
    return made;
}
