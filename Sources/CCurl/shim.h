#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call, and libcurl's
// header turns them into macros that check types. Each setter below fixes one type.

static inline CURLcode onesheet_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the string.
static inline CURLcode onesheet_curl_set_string(
    CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The list must outlive the transfer.
static inline CURLcode onesheet_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// The buffer, of CURL_ERROR_SIZE bytes, must outlive its use by the handle.
static inline CURLcode onesheet_curl_set_error_buffer(CURL *handle, char *buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

typedef size_t (*onesheet_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef int (*onesheet_curl_progress)(
    void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up);
typedef int (*onesheet_curl_before_request)(
    void *context, char *peer, char *own, int peer_port, int own_port);

// Without the attribute a Swift closure written in main-actor code would become main-actor code
// itself, and trap on the thread that libcurl calls it from.
#define ONESHEET_SENDABLE __attribute__((swift_attr("@Sendable")))

static inline CURLcode onesheet_curl_set_callbacks(
    CURL *handle, void *context,
    ONESHEET_SENDABLE onesheet_curl_bytes header,
    ONESHEET_SENDABLE onesheet_curl_bytes body,
    ONESHEET_SENDABLE onesheet_curl_progress progress,
    ONESHEET_SENDABLE onesheet_curl_before_request before_request) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
    return code;
}

static inline CURLcode onesheet_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode onesheet_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode onesheet_curl_get_socket(
    CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
