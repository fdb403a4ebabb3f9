import CMicrohttpd
import PosterKit

/// A request's head as it lies in the library's memory once the library has split it: the ends
/// of names, values and lines have become zero bytes.
///
/// Two heads of the same bytes and bounds are one request twice. The bounds count, because a
/// zero byte that a client sent looks like an end that the library found.
struct RawHead {
    private let bytes: UnsafeRawBufferPointer
    private let bounds: Bounds

    private struct Bounds: Equatable, Sendable {
        var target: Int
        var version: Int
        var fields: Int
    }

    /// Looks at the head of the connection's current request. `nil` where the library does not
    /// split heads in place.
    init?(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, target: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) {
        guard HeadReader.parsesInPlace else { return nil }
        bytes = UnsafeRawBufferPointer(start: method, count: onesheet_head_size(connection))
        bounds = Bounds(
            target: UnsafeRawPointer(target) - UnsafeRawPointer(method),
            version: UnsafeRawPointer(version) - UnsafeRawPointer(method),
            fields: Int(MHD_get_connection_values_n(connection, .HEADER_KIND, nil, nil)))
    }

    /// A number by which to find it again; different heads may share it.
    var hash: UInt64 { ContentHash(of: bytes).low }

    /// A head that outlives its request.
    struct Copy: Sendable {
        private let bytes: [UInt8]
        private let bounds: Bounds

        init(_ head: RawHead) {
            bytes = Array(head.bytes)
            bounds = head.bounds
        }

        /// Whether a head is this one again.
        func equals(_ head: RawHead) -> Bool {
            bounds == head.bounds && bytes.count == head.bytes.count
                && bytes.withUnsafeBytes { own in
                    guard let own = own.baseAddress, let other = head.bytes.baseAddress else {
                        return true
                    }
                    return memcmp(own, other, bytes.count) == 0
                }
        }
    }
}
