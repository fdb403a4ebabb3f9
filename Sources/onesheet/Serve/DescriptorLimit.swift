import Glibc

/// How many files and sockets the process may have open (getrlimit(2), `RLIMIT_NOFILE`).
enum DescriptorLimit {
    /// Raises the soft limit to the hard one: 1024, the usual soft limit, is less than the
    /// connections that are served.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
