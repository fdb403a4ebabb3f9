/* A machine without memory at one chosen moment. Preloaded into a program (LD_PRELOAD), it counts
 * the allocations that the image libraries ask for, and refuses the N-th:
 *
 *   FAULTY_MEMORY_AT   N, from 1
 *   FAULTY_MEMORY_ON   if set, every one from the N-th on is refused
 *   FAULTY_MEMORY_LOG  a file that is made when the N-th is refused
 *
 * Whose an allocation is shows the address that it returns to. What C++ asks for by `new` goes
 * through its own library and is not seen; zimg takes its buffers and weights otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static const char *const libraries[] = {
    "/libturbojpeg.so", "/libpng16.so", "/libz.so", "/libzimg.so", "/libwebp.so"};
static struct { uintptr_t start, end; } code[32];
static int codes, goes_on;
static long refused;
static const char *log_path;
static atomic_long count;

static int note(struct dl_phdr_info *library, size_t size, void *unused) {
    (void)size, (void)unused;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!strstr(library->dlpi_name, libraries[i])) continue;
        for (int p = 0; p < library->dlpi_phnum; p++) {
            const ElfW(Phdr) *part = &library->dlpi_phdr[p];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || codes == 32) continue;
            code[codes].start = library->dlpi_addr + part->p_vaddr;
            code[codes].end = code[codes].start + part->p_memsz;
            codes++;
        }
    }
    return 0;
}

__attribute__((constructor)) static void start(void) {
    const char *at = getenv("FAULTY_MEMORY_AT");
    if (!at) return;
    refused = atol(at);
    goes_on = getenv("FAULTY_MEMORY_ON") != NULL;
    log_path = getenv("FAULTY_MEMORY_LOG");
    dl_iterate_phdr(note, NULL);
}

static int is_refused(void *caller) {
    uintptr_t place = (uintptr_t)caller;
    for (int i = 0; i < codes; i++) {
        if (place < code[i].start || place >= code[i].end) continue;
        long number = ++count;
        if (number != refused && !(goes_on && number > refused)) return 0;
        if (number == refused && log_path)
            close(open(log_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

#define REFUSED is_refused(__builtin_return_address(0))

void *malloc(size_t size) { return REFUSED ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return REFUSED ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return REFUSED ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return REFUSED ? NULL : __libc_memalign(alignment, size);
}
void *memalign(size_t alignment, size_t size) {
    return REFUSED ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **made, size_t alignment, size_t size) {
    if (REFUSED) return ENOMEM;
    *made = __libc_memalign(alignment, size);
    return *made ? 0 : ENOMEM;
}
