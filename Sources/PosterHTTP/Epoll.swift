import CEpoll
import Glibc

/// An epoll(7) instance: which files have something for a thread.
final class Epoll {
    /// What may be awaited or has happened.
    struct Events: OptionSet {
        var rawValue: UInt32

        static let readable = Events(rawValue: UInt32(EPOLLIN.rawValue))
        static let writable = Events(rawValue: UInt32(EPOLLOUT.rawValue))
        static let peerEnded = Events(rawValue: UInt32(EPOLLRDHUP.rawValue))
        static let hungUp = Events(rawValue: UInt32(EPOLLHUP.rawValue))
        static let failed = Events(rawValue: UInt32(EPOLLERR.rawValue))
        /// Only changes are told, each once.
        static let onChange = Events(rawValue: UInt32(EPOLLET.rawValue))
        /// Of several threads that wait for a file, one is woken.
        static let exclusive = Events(rawValue: UInt32(EPOLLEXCLUSIVE.rawValue))
    }

    private let descriptor: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 128)

    /// Opens an instance; negative when the system has no descriptor left.
    static func open() -> Int32 { epoll_create1(Int32(EPOLL_CLOEXEC)) }

    /// Takes an instance over.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Watches a file; `key` is what ``wait(milliseconds:_:)`` calls it by. `false` when the system
    /// has no memory for it.
    func add(_ file: Int32, key: UInt64, _ events: Events) -> Bool {
        var event = epoll_event()
        event.events = events.rawValue
        event.data.u64 = key
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, file, &event) == 0
    }

    /// Watches a file no more. One that is closed need not be removed.
    func remove(_ file: Int32) {
        var event = epoll_event()
        epoll_ctl(descriptor, EPOLL_CTL_DEL, file, &event)
    }

    /// Waits for so many milliseconds at most, -1 for as long as it takes. Blocks. Returns how many
    /// files something has happened to; ``happened(at:)`` has them until the next wait.
    func wait(milliseconds: Int32) -> Int {
        Int(max(0, epoll_wait(descriptor, &events, Int32(events.count), milliseconds)))
    }

    /// What has happened, and to which file.
    func happened(at index: Int) -> (key: UInt64, events: Events) {
        (events[index].data.u64, Events(rawValue: events[index].events))
    }

    deinit { Glibc.close(descriptor) }
}
