import CMicrohttpd
import PosterKit

/// A ``Reply`` in the library's own form. The bytes of its body are not copied: the library
/// holds the picture until the last client has them.
struct QueuedResponse: ~Copyable, Sendable {
    /// Valid as long as this value is; a queued response is the library's to keep. Not changed
    /// any more once made, and counted by the library under a lock of its own.
    nonisolated(unsafe) let handle: OpaquePointer

    /// `date` is the answer's `Date`, which the library would format for every request. `nil`
    /// when the library has no memory for it.
    static func make(_ reply: Reply, date: String, closes: Bool) -> QueuedResponse? {
        let made: OpaquePointer?
        switch reply.body {
        case .bytes(let bytes): made = create(bytes, 0..<bytes.count, owner: Owner(bytes))
        case .picture(let picture, let range):
            made = create(picture.bytes, range, owner: picture)
        }
        guard let made else { return nil }
        let response = QueuedResponse(handle: made)
        for (name, value) in [(name: "Date", value: date)] + reply.headers {
            guard MHD_add_response_header(made, name, value) == .YES else { return nil }
        }
        if closes { MHD_add_response_header(made, "Connection", "close") }
        return response
    }

    private init(handle: OpaquePointer) { self.handle = handle }

    deinit { MHD_destroy_response(handle) }

    private final class Owner {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// `owner` must keep `bytes` alive, unchanged: an array's storage does not move then.
    private static func create(
        _ bytes: [UInt8], _ range: Range<Int>, owner: AnyObject
    ) -> OpaquePointer? {
        bytes.withUnsafeBytes { storage in
            let start = storage.baseAddress?.advanced(by: range.lowerBound)
            return MHD_create_response_from_buffer_with_free_callback_cls(
                range.count, UnsafeMutableRawPointer(mutating: start),
                { context in
                    guard let context else { return }
                    Unmanaged<AnyObject>.fromOpaque(context).release()
                }, Unmanaged.passRetained(owner).toOpaque())
        }
    }
}
