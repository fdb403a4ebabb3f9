/* epoll(7) and eventfd(2), which Swift's Glibc module leaves out, and two calls that it cannot
   make: accept4 is shown to GNU sources only, and ioctl is variadic. */
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

long syscall(long number, ...);

/* Accepts a connection whose socket does not block and is closed on exec. */
static inline int accept_nonblocking(int listener, void *address, unsigned *length) {
    return (int)syscall(SYS_accept4, listener, address, length, 04000 | 02000000);
}

/* Bytes that the peer has not acknowledged yet (tcp(7)); negative for no TCP socket. */
static inline int unacknowledged_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}
