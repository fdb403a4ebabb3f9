#include <curl/curl.h>
#include <dlfcn.h>

// The functions of libcurl that are used, without their "curl_".
#define ONESHEET_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(global_init) \
    FUNCTION(easy_init) \
    FUNCTION(easy_cleanup) \
    FUNCTION(easy_setopt) \
    FUNCTION(easy_getinfo) \
    FUNCTION(easy_strerror) \
    FUNCTION(multi_init) \
    FUNCTION(multi_cleanup) \
    FUNCTION(multi_add_handle) \
    FUNCTION(multi_remove_handle) \
    FUNCTION(multi_perform) \
    FUNCTION(multi_poll) \
    FUNCTION(multi_info_read) \
    FUNCTION(slist_append) \
    FUNCTION(slist_free_all) \
    FUNCTION(url) \
    FUNCTION(url_cleanup) \
    FUNCTION(url_set) \
    FUNCTION(url_get) \
    FUNCTION(version_info) \
    FUNCTION(free)

// libcurl is not linked but loaded by the first who fetches: the forty libraries that it needs
// take longer to load than a command that does not fetch takes in all.
typedef struct onesheet_curl {
#define ONESHEET_CURL_MEMBER(name) __typeof__(curl_##name) *_Nonnull name;
    ONESHEET_CURL_FUNCTIONS(ONESHEET_CURL_MEMBER)
#undef ONESHEET_CURL_MEMBER
} onesheet_curl;

// Loads libcurl and finds its functions; else returns the dynamic loader's reason, which is good
// until the next call.
static inline const char *_Nullable onesheet_curl_load(onesheet_curl *_Nonnull curl) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define ONESHEET_CURL_FIND(name) \
    if (!(curl->name = (__typeof__(curl_##name) *)dlsym(library, "curl_" #name))) return dlerror();
    ONESHEET_CURL_FUNCTIONS(ONESHEET_CURL_FIND)
#undef ONESHEET_CURL_FIND
    return NULL;
}

// As 0xXXYYZZ for X.Y.Z.
static inline unsigned int onesheet_curl_version(onesheet_curl curl) {
    return curl.version_info(CURLVERSION_NOW)->version_num;
}

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call. Each function
// below fixes one type.

static inline CURLcode onesheet_curl_set_long(
    onesheet_curl curl, CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}

// libcurl copies the string.
static inline CURLcode onesheet_curl_set_string(
    onesheet_curl curl, CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}

// Makes the request a POST of the bytes, which must outlive the transfer and must not be none.
static inline CURLcode onesheet_curl_set_body(
    onesheet_curl curl, CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code ? code : curl.easy_setopt(handle, CURLOPT_POSTFIELDS, bytes);
}

// The list must outlive the transfer.
static inline CURLcode onesheet_curl_set_headers(
    onesheet_curl curl, CURL *handle, struct curl_slist *headers) {
    return curl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// The buffer, of CURL_ERROR_SIZE bytes, must outlive its use by the handle.
static inline CURLcode onesheet_curl_set_error_buffer(
    onesheet_curl curl, CURL *handle, char *buffer) {
    return curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

typedef size_t (*onesheet_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef int (*onesheet_curl_before_request)(
    void *context, char *peer, char *own, int peer_port, int own_port);

// Without the attribute a Swift closure written in main-actor code would become main-actor code
// itself, and trap on the thread that libcurl calls it from.
#define ONESHEET_SENDABLE __attribute__((swift_attr("@Sendable")))

static inline CURLcode onesheet_curl_set_callbacks(
    onesheet_curl curl, CURL *handle, void *context,
    ONESHEET_SENDABLE onesheet_curl_bytes header,
    ONESHEET_SENDABLE onesheet_curl_bytes body,
    ONESHEET_SENDABLE onesheet_curl_before_request before_request) {
    CURLcode code = curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (!code) code = curl.easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (!code) code = curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (!code) code = curl.easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (!code) code = curl.easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request);
    if (!code) code = curl.easy_setopt(handle, CURLOPT_PREREQDATA, context);
    return code;
}

static inline CURLcode onesheet_curl_get_long(
    onesheet_curl curl, CURL *handle, CURLINFO info, long *value) {
    return curl.easy_getinfo(handle, info, value);
}

static inline CURLcode onesheet_curl_get_offset(
    onesheet_curl curl, CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl.easy_getinfo(handle, info, value);
}

static inline CURLcode onesheet_curl_get_socket(
    onesheet_curl curl, CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl.easy_getinfo(handle, info, value);
}
