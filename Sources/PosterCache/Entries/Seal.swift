import PosterBase

/// The trailer that makes an image an entry: what the image must be, whose it is, and where it
/// came from.
///
/// A file of the cache is the body, byte for byte, and then its seal, so that a program that reads it
/// as an image never sees the seal. It is read from the file's end. Numbers are little-endian.
///
/// | bytes | what |
/// | --- | --- |
/// | 8 | `\nOnesht\n` |
/// | 2 | version, 1 |
/// | 8 | length of the body |
/// | 8, 8 | ``ContentHash`` of the body: high, low |
/// | 8 | when the body was fetched or made: nanoseconds since 1970 |
/// | 1 | bit 0: `source` is there; 1: `ETag`; 2: `Last-Modified`; 3: `Content-Type` |
/// | 8, 8 | ``ContentHash`` of the poster that it was made from, or zeros |
/// | 2 + n | length, and the key: ``EntryKey/description``, or the request of a list |
/// | 2 + n | length, and upstream's `ETag` |
/// | 2 + n | length, and upstream's `Last-Modified` |
/// | 2 + n | length, and the `Content-Type` of a list |
/// | 8, 8 | ``ContentHash`` of the seal up to here |
/// | 4 | length of the seal, all of it |
/// | 4 | `Seal` |
///
/// The first two rows and the last three stay where they are in every version to come.
struct Seal: Equatable, Sendable {
    /// Whose entry it is. An entry that was copied to another place does not fit there.
    var key: String
    var bodyLength: Int
    var bodyHash: ContentHash
    var fetched: Timestamp
    var validators = Validators()
    var source: ContentHash?
    var contentType: String?

    /// The version that is written, and the only one that is read.
    static let version: UInt16 = 1
    /// The longest `ETag`, `Last-Modified` or `Content-Type` that is kept, in bytes; a longer
    /// one is dropped.
    static let maxTextLength = 1024
    /// The longest key, in bytes.
    static let maxKeyLength = 8192
    /// The longest seal, in bytes.
    static let maxLength = fixedLength + maxKeyLength + 3 * maxTextLength

    private static let start = Array("\nOnesht\n".utf8)

    /// Whether the end of a file has a seal in it, or the beginning of one, of whatever version.
    /// `tail` is the last ``maxLength`` bytes, or fewer where a seal is found in those.
    static func isBegun(in tail: [UInt8]) -> Bool {
        guard tail.count >= start.count else { return false }
        return (0...(tail.count - start.count)).contains { index in
            tail[index] == start[0] && tail[index...].starts(with: start)
        }
    }
    private static let end = Array("Seal".utf8)
    /// Hash, length, end: what is read first.
    private static let tailLength = 16 + 4 + 4
    private static let fixedLength = 8 + 2 + 8 + 16 + 8 + 1 + 16 + 4 * 2 + tailLength
}

extension Seal {
    /// The seal's bytes, to be written after the body.
    var bytes: [UInt8] {
        precondition(key.utf8.count <= Self.maxKeyLength)
        let texts = [validators.entityTag, validators.lastModified, contentType].map { text in
            text.flatMap { $0.utf8.count <= Self.maxTextLength ? $0 : nil }
        }
        var writer = Writer()
        writer.bytes += Self.start
        writer.append(Self.version)
        writer.append(UInt64(bodyLength))
        writer.append(bodyHash)
        writer.append(UInt64(bitPattern: fetched.nanoseconds))
        var flags: UInt8 = source == nil ? 0 : 1
        for (bit, text) in texts.enumerated() where text != nil { flags |= 2 << bit }
        writer.append(flags)
        writer.append(source ?? ContentHash(high: 0, low: 0))
        writer.append(key)
        for text in texts { writer.append(text ?? "") }
        writer.append(ContentHash(of: writer.bytes))
        writer.append(UInt32(writer.bytes.count + 4 + 4))
        writer.bytes += Self.end
        return writer.bytes
    }

    /// Reads the seal at the end of a file of which `tail` is the end, or all.
    ///
    /// Throws what is wrong: `.empty` for no bytes, `.torn` when there is no seal at the end or
    /// the lengths do not add up to `fileLength`, `.seal` when the seal was altered, `.version`
    /// for another version, `.key` when its key does not belong here. Does not look at the body.
    init(
        atEndOf tail: [UInt8], fileLength: Int, belongsHere: (_ key: String) -> Bool
    ) throws(Fault) {
        guard fileLength > 0 else { throw Fault(.empty) }
        var reader = Reader(tail[max(0, tail.count - Self.tailLength)...])
        guard let hash = reader.hash(), let length = reader.number(UInt32.self),
            reader.rest.elementsEqual(Self.end)
        else { throw Fault(.torn) }
        guard (Self.fixedLength...Self.maxLength).contains(Int(length)), length <= tail.count else {
            throw Fault(.torn)
        }
        let seal = Array(tail.suffix(Int(length)).dropLast(Self.tailLength))
        guard ContentHash(of: seal) == hash, seal.starts(with: Self.start) else {
            throw Fault(.seal)
        }
        reader = Reader(seal.dropFirst(Self.start.count))
        guard let version = reader.number(UInt16.self) else { throw Fault(.seal) }
        guard version == Self.version else { throw Fault(.version) }
        guard let read = Self(fields: &reader) else { throw Fault(.seal) }
        self = read
        guard bodyLength + Int(length) == fileLength else { throw Fault(.torn) }
        guard belongsHere(key) else { throw Fault(.key) }
    }

    /// Why a file is no entry.
    struct Fault: Error {
        let reason: EntryFault
        init(_ reason: EntryFault) { self.reason = reason }
    }

    /// Reads the rows that version 1 defines; `nil` where they end early or late.
    private init?(fields reader: inout Reader) {
        guard let length = reader.number(UInt64.self), let bodyLength = Int(exactly: length),
            bodyLength < 1 << 40, let bodyHash = reader.hash(),
            let fetched = reader.number(UInt64.self), let flags = reader.number(UInt8.self),
            let source = reader.hash(), let key = reader.text(), let entityTag = reader.text(),
            let lastModified = reader.text(), let contentType = reader.text(), reader.rest.isEmpty
        else { return nil }
        self.key = key
        self.bodyLength = bodyLength
        self.bodyHash = bodyHash
        self.fetched = Timestamp(nanoseconds: Int64(bitPattern: fetched))
        self.source = flags & 1 == 0 ? nil : source
        validators = Validators(
            entityTag: flags & 2 == 0 ? nil : entityTag,
            lastModified: flags & 4 == 0 ? nil : lastModified)
        self.contentType = flags & 8 == 0 ? nil : contentType
    }
}

/// Puts numbers and texts behind one another.
private struct Writer {
    var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func append(_ hash: ContentHash) {
        append(hash.high)
        append(hash.low)
    }

    mutating func append(_ text: String) {
        append(UInt16(text.utf8.count))
        bytes += text.utf8
    }
}

/// Takes them apart again; `nil` past the end.
private struct Reader {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let width = Number.bitWidth / 8
        guard rest.count >= width else { return nil }
        defer { rest = rest.dropFirst(width) }
        return rest.prefix(width).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func hash() -> ContentHash? {
        guard let high = number(UInt64.self), let low = number(UInt64.self) else { return nil }
        return ContentHash(high: high, low: low)
    }

    mutating func text() -> String? {
        guard let length = number(UInt16.self), rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return String(validating: rest.prefix(Int(length)), as: UTF8.self)
    }
}
