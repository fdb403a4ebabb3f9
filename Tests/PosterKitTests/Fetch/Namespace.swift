import Foundation
import Glibc
import TestSupport

@testable import PosterBase
@testable import PosterKit

/// A network of a thread's own, with nothing but a loopback interface and a name server.
///
/// It takes the right to make namespaces (root, as a rule); nothing outside the thread, and those
/// that it starts, sees it.
enum Namespace {
    /// The name server in `resolv.conf`.
    enum NameServer: String, Sendable {
        /// No route leads to it.
        case unreachable
        /// It takes questions and never answers.
        case silent
        /// Nobody listens on its port.
        case refusing

        fileprivate var address: String { self == .unreachable ? "192.0.2.1" : "127.0.0.1" }
    }

    /// Why a namespace could not be had.
    struct Refusal: Error {
        let call: String
        let code: Int32
    }

    /// Whether this process may make one.
    static let isAllowed: Bool = {
        do {
            try run(with: .unreachable) {}
            return true
        } catch { return false }
    }()

    /// Runs `body` on a thread inside, and waits for it. `hosts` is what `/etc/hosts` says there.
    static func run(
        with server: NameServer, hosts: String = "", _ body: @escaping @Sendable () -> Void
    ) throws(Refusal) {
        let folder = TemporaryDirectory()
        let result = Monitor<Result<Void, Refusal>?>(nil)
        let thread = PosixThread(name: "namespace") {
            let outcome = Result<Void, Refusal> { () throws(Refusal) in
                try enter(folder, server, hosts)
                let silent = server == .silent ? boundNameServer() : -1
                defer { if silent >= 0 { close(silent) } }
                body()
            }
            result.withLock { $0 = outcome }
        }
        thread.join()
        try result.withLock { $0 }?.get()
    }

    private static func enter(
        _ folder: TemporaryDirectory, _ server: NameServer, _ hosts: String
    ) throws(Refusal) {
        typealias Unshare = @convention(c) (Int32) -> Int32
        typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt,
                UnsafeRawPointer?
            ) -> Int32
        // Swift's Glibc leaves these two out.
        guard let unshare = dlsym(nil, "unshare"), let mount = dlsym(nil, "mount") else {
            throw Refusal(call: "dlsym", code: 0)
        }
        let (newMounts, newNetwork) = (Int32(0x0002_0000), Int32(0x4000_0000))
        guard unsafeBitCast(unshare, to: Unshare.self)(newMounts | newNetwork) == 0 else {
            throw Refusal(call: "unshare", code: errno)
        }
        let (bind, recursive, privately) = (UInt(4096), UInt(16384), UInt(1 << 18))
        let mountNow = unsafeBitCast(mount, to: Mount.self)
        guard mountNow(nil, "/", nil, recursive | privately, nil) == 0 else {
            throw Refusal(call: "mount /", code: errno)
        }
        for (name, text) in [
            ("resolv.conf", "nameserver \(server.address)\n"), ("hosts", hosts),
        ] {
            let file = "\(folder.path)/\(name)"
            guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8)),
                mountNow(file, "/etc/\(name)", nil, bind, nil) == 0
            else { throw Refusal(call: "mount \(name)", code: errno) }
        }
        try raiseLoopback()
    }

    private static func raiseLoopback() throws(Refusal) {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        // struct ifreq: the name in 16 bytes, then the flags in two.
        var request = [UInt8](repeating: 0, count: 40)
        request.replaceSubrange(0..<2, with: "lo".utf8)
        request[16] = UInt8(1 | 64)  // IFF_UP, IFF_RUNNING
        let setFlags: UInt = 0x8914
        guard ioctl(socket, setFlags, &request) == 0 else {
            throw Refusal(call: "ioctl", code: errno)
        }
    }

    private static func boundNameServer() -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return socket
    }
}
