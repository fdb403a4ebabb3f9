/* A disk that fails at one chosen call. Preloaded into a program (LD_PRELOAD), it counts the
 * calls that change something below a directory, and at the N-th does what it is told to:
 *
 *   FAULTY_DISK_BELOW  the directory
 *   FAULTY_DISK_AT     N, from 1; 0 only counts
 *   FAULTY_DISK_KIND   KILL: the process dies before the call; an errno's name: the call fails
 *                      with it; SHORT: a write writes half; TORN: half, and the process dies;
 *                      SLOW and a number: the call takes so many milliseconds.
 *                      With a + behind it, every call from the N-th on fails.
 *   FAULTY_DISK_CALLS  "changes" (default), or "reads": opening, reading and looking instead;
 *                      or "locks"
 *   FAULTY_DISK_LOG    a file that gets a line for each call: its number and name
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;
static long failing_call;
enum calls { CHANGES, READS, LOCKS };

static enum calls counted;
static int fails_on, log_file = -1;
static char below[PATH_MAX], kind[32];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
    const char *directory = getenv("FAULTY_DISK_BELOW"), *log = getenv("FAULTY_DISK_LOG");
    const char *at = getenv("FAULTY_DISK_AT"), *what = getenv("FAULTY_DISK_KIND");
    const char *calls = getenv("FAULTY_DISK_CALLS");
    if (!directory || !at || !what) return;
    snprintf(below, sizeof below, "%s", directory);
    snprintf(kind, sizeof kind, "%s", what);
    size_t length = strlen(kind);
    if (length && kind[length - 1] == '+') {
        fails_on = 1;
        kind[length - 1] = 0;
    }
    counted = !calls || !strcmp(calls, "changes") ? CHANGES : calls[0] == 'r' ? READS : LOCKS;
    failing_call = atol(at);
    if (log) log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Doubled slashes mean one. */
static int is_below(const char *path) {
    const char *directory = below;
    for (; *directory; directory++, path++) {
        while (directory[0] == '/' && directory[1] == '/') directory++;
        while (path[0] == '/' && path[1] == '/') path++;
        if (*directory != *path) return 0;
    }
    return below[0] && (*path == '/' || !*path);
}

static int concerns_name(int directory, const char *name) {
    char link[64], path[2 * PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return 0;
    snprintf(path + length, sizeof path - length, "%s%s", *name ? "/" : "", name);
    return is_below(path);
}

static int concerns_file(int file) { return concerns_name(file, ""); }

static int concerns(int directory, const char *path) {
    if (path[0] == '/') return is_below(path);
    return directory != AT_FDCWD && concerns_name(directory, path);
}

static int error_number(void) {
    static const struct { const char *name; int number; } errors[] = {
        {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EROFS", EROFS}, {"EDQUOT", EDQUOT},
        {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"ESTALE", ESTALE},
        {"ENOLCK", ENOLCK},
    };
    for (size_t index = 0; index < sizeof errors / sizeof errors[0]; index++)
        if (!strcmp(kind, errors[index].name)) return errors[index].number;
    return 0;
}

enum verdict { GO_ON, FAIL, WRITE_HALF, WRITE_HALF_AND_DIE };

__attribute__((noreturn)) static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static enum verdict judge(const char *name, enum calls call) {
    if (call != counted) return GO_ON;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (log_file >= 0) dprintf(log_file, "%ld %s\n", number, name);
    if (!failing_call || number < failing_call || (number > failing_call && !fails_on))
        return GO_ON;
    if (!strcmp(kind, "KILL")) die();
    if (!strncmp(kind, "SLOW", 4)) {
        usleep(atol(kind + 4) * 1000);
        return GO_ON;
    }
    if (!strcmp(kind, "SHORT")) return WRITE_HALF;
    if (!strcmp(kind, "TORN")) return WRITE_HALF_AND_DIE;
    errno = error_number();
    return errno ? FAIL : GO_ON;
}

#define CHANGE(name, does_concern, ...)                                                     \
    if ((does_concern) && judge(#name, CHANGES) == FAIL) return -1;                         \
    return REAL(name)(__VA_ARGS__)

#define OPEN(name, does_concern, flags, ...)                                                \
    mode_t mode = 0;                                                                        \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                \
        va_list arguments;                                                                  \
        va_start(arguments, flags);                                                         \
        mode = va_arg(arguments, mode_t);                                                   \
        va_end(arguments);                                                                  \
    }                                                                                       \
    if ((does_concern) && judge(#name, (flags) & O_CREAT ? CHANGES : READS) == FAIL)        \
        return -1;                                                                          \
    return REAL(name)(__VA_ARGS__, flags, mode)

int open(const char *path, int flags, ...) { OPEN(open, is_below(path), flags, path); }
int open64(const char *path, int flags, ...) { OPEN(open64, is_below(path), flags, path); }
int openat(int directory, const char *path, int flags, ...) {
    OPEN(openat, concerns(directory, path), flags, directory, path);
}
int openat64(int directory, const char *path, int flags, ...) {
    OPEN(openat64, concerns(directory, path), flags, directory, path);
}
/* openat2(2) has no function of its own. */
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long words[6];
    for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_openat2 && concerns((int)words[0], (const char *)words[1]) &&
        judge("openat2", READS) == FAIL)
        return -1;
    return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
int mkdir(const char *path, mode_t mode) { CHANGE(mkdir, is_below(path), path, mode); }
int mkdirat(int directory, const char *path, mode_t mode) {
    CHANGE(mkdirat, concerns(directory, path), directory, path, mode);
}
int fsync(int file) { CHANGE(fsync, concerns_file(file), file); }
int fdatasync(int file) { CHANGE(fdatasync, concerns_file(file), file); }
int futimens(int file, const struct timespec times[2]) {
    CHANGE(futimens, concerns_file(file), file, times);
}
int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
    CHANGE(utimensat, concerns(directory, path), directory, path, times, flags);
}
int renameat(int from, const char *old, int to, const char *new) {
    CHANGE(renameat, concerns(from, old), from, old, to, new);
}
int unlinkat(int directory, const char *path, int flags) {
    CHANGE(unlinkat, concerns(directory, path), directory, path, flags);
}

ssize_t write(int file, const void *bytes, size_t size) {
    if (!concerns_file(file)) return REAL(write)(file, bytes, size);
    switch (judge("write", CHANGES)) {
    case FAIL: return -1;
    case WRITE_HALF: return REAL(write)(file, bytes, (size + 1) / 2);
    case WRITE_HALF_AND_DIE:
        REAL(write)(file, bytes, size / 2);
        die();
    default: return REAL(write)(file, bytes, size);
    }
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
    if (concerns_file(file) && judge("pread", READS) == FAIL) return -1;
    return REAL(pread)(file, bytes, size, offset);
}
ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
    if (concerns_file(file) && judge("pread64", READS) == FAIL) return -1;
    return REAL(pread64)(file, bytes, size, offset);
}
int fstat(int file, struct stat *status) {
    if (concerns_file(file) && judge("fstat", READS) == FAIL) return -1;
    return REAL(fstat)(file, status);
}
int fstatat(int directory, const char *path, struct stat *status, int flags) {
    if (concerns(directory, path) && judge("fstatat", READS) == FAIL) return -1;
    return REAL(fstatat)(directory, path, status, flags);
}
int flock(int file, int operation) {
    if (!(operation & LOCK_UN) && concerns_file(file) && judge("flock", LOCKS) == FAIL) return -1;
    return REAL(flock)(file, operation);
}
struct dirent *readdir(DIR *stream) {
    if (concerns_file(dirfd(stream)) && judge("readdir", READS) == FAIL) return NULL;
    return REAL(readdir)(stream);
}
