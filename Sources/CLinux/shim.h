// A call of Linux for which glibc 2.36 has no function, and flags that it shows to GNU sources only.
// No header of glibc's that Swift's Glibc module has: its types would become this module's.
#include <linux/openat2.h>
#include <sys/syscall.h>

long syscall(long number, ...);

static const int open_without_access_time = 01000000;  // O_NOATIME of asm-generic/fcntl.h
static const int open_place_alone = 010000000;         // O_PATH
static const int set_lock_of_open_file = 37;           // F_OFD_SETLK of bits/fcntl-linux.h

// Opens a path below a directory and follows no link on its way (openat2(2), since Linux 5.6).
static inline int open_below(int directory, const char *path, int flags) {
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// The same, which also goes into nothing that is mounted on the way (EXDEV).
static inline int open_on_mount(int directory, const char *path, int flags) {
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
