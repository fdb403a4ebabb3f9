#include <microhttpd.h>
#include <string.h>

/* A closure written in main-actor code must not become a callback: it would trap on the
   library's thread. Swift checks what is marked so. */
#define ONESHEET_SENDABLE __attribute__((swift_attr("@Sendable")))

/* The unescaper that leaves everything as it came: the library's own would turn %00 and %2e%2e
   into a shorter and into another path. */
static inline size_t
onesheet_keep_escapes (void *cls, struct MHD_Connection *connection, char *text)
{
  (void) cls;
  (void) connection;
  return strlen (text);
}

/* MHD_start_daemon is variadic, which Swift cannot call. */
static inline struct MHD_Daemon *
onesheet_start_daemon (MHD_socket listen_socket, unsigned int threads,
                       unsigned int connections, size_t connection_memory, void *cls,
                       ONESHEET_SENDABLE MHD_AcceptPolicyCallback accept,
                       ONESHEET_SENDABLE MHD_AccessHandlerCallback handle,
                       ONESHEET_SENDABLE void *(*begin)(void *, const char *,
                                                        struct MHD_Connection *),
                       ONESHEET_SENDABLE MHD_RequestCompletedCallback complete,
                       ONESHEET_SENDABLE MHD_NotifyConnectionCallback notify)
{
  return MHD_start_daemon (
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_TURBO,
    0, accept, cls, handle, cls,
    MHD_OPTION_LISTEN_SOCKET, listen_socket,
    /* A pool of one is none: the daemon's own thread serves. */
    MHD_OPTION_THREAD_POOL_SIZE, threads,
    MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
    /* Idle time-outs only: the watchdog's are absolute, and these would cost a lock a read. */
    MHD_OPTION_CONNECTION_TIMEOUT, 0u,
    MHD_OPTION_UNESCAPE_CALLBACK, &onesheet_keep_escapes, NULL,
    MHD_OPTION_URI_LOG_CALLBACK, begin, cls,
    MHD_OPTION_NOTIFY_COMPLETED, complete, cls,
    MHD_OPTION_NOTIFY_CONNECTION, notify, cls,
    MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic, too. */
static inline int
onesheet_connection_socket (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return NULL == info ? -1 : info->connect_fd;
}

static inline void *
onesheet_socket_context (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return NULL == info ? NULL : info->socket_context;
}

/* The bytes of the request's head, from the method to the empty line. */
static inline size_t
onesheet_head_size (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return NULL == info ? 0 : info->header_size;
}

/* The status of the queued response; 0 when there is none. */
static inline unsigned int
onesheet_queued_status (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_HTTP_STATUS);
  return NULL == info ? 0 : info->http_status;
}

static inline const struct sockaddr *
onesheet_client_address (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return NULL == info ? NULL : info->client_addr;
}

/* Field lines that the library finds before those of the request, so that it leaves the
   request's own to us: it answers a malformed Content-Length with two heads (0.9.75), and copies
   every cookie, which doubles what a head needs. The texts must outlive the connection. */
static inline void
onesheet_put_decoys (struct MHD_Connection *connection)
{
  MHD_set_connection_value (connection, MHD_HEADER_KIND, "Content-Length", "0");
  MHD_set_connection_value (connection, MHD_HEADER_KIND, "Cookie", "-=-");
}

enum { ONESHEET_DECOYS = 2 };
