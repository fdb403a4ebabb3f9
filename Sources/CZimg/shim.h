#include <zimg.h>

// Swift does not import the buffers' array of unnamed structures. Runs a graph from one whole plane
// in memory to another.
static inline zimg_error_code_e onesheet_zimg_process(
    const zimg_filter_graph *graph, const void *from, ptrdiff_t from_pitch, void *to,
    ptrdiff_t to_pitch, void *scratch)
{
    zimg_image_buffer_const source = {ZIMG_API_VERSION, {{from, from_pitch, ZIMG_BUFFER_MAX}}};
    zimg_image_buffer target = {ZIMG_API_VERSION, {{to, to_pitch, ZIMG_BUFFER_MAX}}};
    return zimg_filter_graph_process(graph, &source, &target, scratch, 0, 0, 0, 0);
}
