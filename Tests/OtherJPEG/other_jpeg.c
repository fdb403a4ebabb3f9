/* A libjpeg-turbo of another version. Preloaded into a program (LD_PRELOAD), it gives the library one
 * message less than its header lists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

struct jpeg_error_mgr *jpeg_std_error(struct jpeg_error_mgr *errors)
{
    struct jpeg_error_mgr *(*next)(struct jpeg_error_mgr *) = dlsym(RTLD_NEXT, "jpeg_std_error");
    next(errors)->last_jpeg_message--;
    return errors;
}
