import Glibc

/// What systemd agrees with a service through its environment: a socket that listens already
/// (sd_listen_fds(3)), and news of its state (sd_notify(3)).
struct ServiceManager {
    private let environment: Environment

    init(_ environment: Environment) { self.environment = environment }

    /// The socket that was handed over; `nil` when there is none. Throws when there are several.
    func inheritedSocket() throws(Failure) -> Int32? {
        guard environment["LISTEN_PID"] == String(getpid()), let count = environment["LISTEN_FDS"]
        else { return nil }
        guard count == "1" else {
            throw Failure(
                .configuration, "LISTEN_FDS \(quoted(count)): one socket can be served, no more")
        }
        // SD_LISTEN_FDS_START
        let socket: Int32 = 3
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        let flags = fcntl(socket, F_GETFL)
        _ = fcntl(socket, F_SETFL, flags | O_NONBLOCK)
        return socket
    }

    /// Tells a change of state, such as `READY=1`. There may be no manager, and then none is
    /// told.
    func notify(_ state: String) {
        guard let path = environment["NOTIFY_SOCKET"], "/@".contains(path.prefix(1)) else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // A name in the abstract namespace, which begins with a zero byte.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + bytes.count } ?? 0
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let file = socket(AF_UNIX, type, 0)
        guard file >= 0 else { return }
        defer { close(file) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    file, state, state.utf8.count, Int32(MSG_NOSIGNAL), address,
                    socklen_t(length))
            }
        }
    }
}
