import CMicrohttpd
import Glibc

/// Reads a request's head out of the library, and checks that its lines lay on the wire as
/// RFC 9112 wants them.
///
/// The library accepts a bare LF as the end of a line, folded lines, NULs and doubled spaces,
/// and tells nobody. But it parses in place: names and values point into the received bytes,
/// where each CRLF has become two zero bytes. So every line must begin two bytes after the end
/// of the one before, and the last must end four bytes before the end of the head.
struct HeadReader {
    private var head = RequestHead()
    private var nextLine: UInt
    private var fields = 0
    /// Field lines that ``prepare(_:target:)`` put before the request's own.
    private var decoysLeft = HeadReader.parsesInPlace ? Int(ONESHEET_DECOYS) : 0

    /// A query that the library does not see.
    struct HiddenQuery {
        fileprivate let mark: UnsafeMutablePointer<CChar>
        fileprivate let first: CChar

        /// Puts the target together again, once the library has split the head.
        func show() {
            mark.pointee = CChar(bitPattern: UInt8(ascii: "?"))
            mark.advanced(by: 1).pointee = first
        }
    }

    /// Readies a connection whose request line has been read, before its fields are.
    ///
    /// The library would split the query and give each parameter a record, and it trips over
    /// some fields; nothing of that is needed here.
    static func prepare(
        _ connection: OpaquePointer, target: UnsafePointer<CChar>
    ) -> HiddenQuery? {
        guard parsesInPlace else { return nil }
        onesheet_put_decoys(connection)
        guard let mark = strchr(target, Int32(UInt8(ascii: "?"))) else { return nil }
        let query = HiddenQuery(mark: mark, first: mark.advanced(by: 1).pointee)
        mark.advanced(by: 1).pointee = 0
        return query
    }

    /// Reads the head of the connection's current request. `target` is where the library had
    /// the target, which is whole again.
    static func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        target: UnsafePointer<CChar>
    ) -> RequestHead {
        var reader = HeadReader(nextLine: UInt(bitPattern: version) + 8 + 2)
        reader.head.method = String(cString: method)
        reader.head.version = String(cString: version)
        if Self.parsesInPlace {
            let targetStart = UInt(bitPattern: method) + UInt(strlen(method)) + 1
            let targetEnd = UInt(bitPattern: target) + UInt(strlen(target)) + 1
            if UInt(bitPattern: target) != targetStart || targetEnd != UInt(bitPattern: version) {
                reader.head.fail("a malformed request line")
            }
        }
        withUnsafeMutablePointer(to: &reader) { pointer in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    context?.assumingMemoryBound(to: HeadReader.self).pointee.take(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value, count: valueSize))
                    return .YES
                }, UnsafeMutableRawPointer(pointer))
        }
        let end = UInt(bitPattern: method) + UInt(onesheet_head_size(connection))
        if Self.parsesInPlace, reader.nextLine + 2 != end {
            reader.head.fail("a line that does not end in CRLF")
        }
        reader.head.bytesOfMemory =
            onesheet_head_size(connection) + reader.fields * bytesOfFieldRecord
        return reader.head
    }

    /// `struct MHD_HTTP_Header` and the padding around it.
    private static let bytesOfFieldRecord = 64

    private init(nextLine: UInt) { self.nextLine = nextLine }

    private mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        fields += 1
        guard decoysLeft == 0 else {
            decoysLeft -= 1
            return
        }
        if Self.parsesInPlace, UInt(bitPattern: name.baseAddress) != nextLine {
            head.fail("a line that does not end in CRLF")
        }
        nextLine = UInt(bitPattern: value.baseAddress) + UInt(value.count) + 2
        name.withMemoryRebound(to: UInt8.self) { name in
            value.withMemoryRebound(to: UInt8.self) { head.add(name, $0) }
        }
    }

    /// Versions from 0.9.77 on refuse these faults themselves and may lay memory out otherwise.
    static let parsesInPlace: Bool = {
        let version = String(cString: MHD_get_version()).split(separator: ".").map { Int($0) }
        guard version.count >= 3, let patch = version[2] else { return false }
        return version[0] == 0 && version[1] == 9 && patch < 77
    }()
}
