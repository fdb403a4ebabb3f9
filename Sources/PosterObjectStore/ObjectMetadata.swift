import PosterBase
import PosterCache
import PosterFetch
import PosterImages

/// The seal of a poster in an object store: what a file has behind its body, as the object's
/// metadata, so that the object itself is the plain image.
///
/// | `x-amz-meta-onesheet-…` | what |
/// | --- | --- |
/// | `version` | 1 |
/// | `key` | ``EntryKey/description`` |
/// | `length`, `hash` | the body's bytes and its ``ContentHash`` |
/// | `fetched` | when the body came from upstream: nanoseconds since 1970 |
/// | `validated` | when upstream was last known to have these bytes: the same |
/// | `etag`, `last-modified` | upstream's, percent-encoded; may be missing |
enum ObjectMetadata {
    /// Why an object is no entry.
    enum Fault: String, Error, CaseIterable {
        /// A field is missing, or unreadable, or of another version.
        case seal
        /// It is another poster's.
        case key
        /// Its bytes are not those that the seal was made for.
        case body
    }

    private static let prefix = "x-amz-meta-onesheet-"
    private static let version = "1"
    /// Times that a file system keeps: from 1970 to 2242, in nanoseconds.
    private static let plausible: ClosedRange<Int64> = 0...8_600_000_000_000_000_000
    /// S3 takes 2 KB of metadata in all; a longer validator is left out.
    private static let longestText = 512

    /// The header fields of an entry's object.
    static func fields(_ key: EntryKey, _ entry: CacheEntry) -> [(name: String, value: String)] {
        var fields = [
            ("version", version), ("key", key.description),
            ("length", String(entry.picture.bytes.count)), ("hash", entry.picture.hash.description),
            ("fetched", String(entry.picture.made.nanoseconds)),
            ("validated", String(entry.validated.nanoseconds)),
        ]
        let texts = [
            ("etag", entry.validators.entityTag), ("last-modified", entry.validators.lastModified),
        ]
        for (name, text) in texts {
            // Quotes, spaces and letters beyond ASCII come back changed from one store or another.
            guard let text = text.map(percentEncoded), text.utf8.count <= longestText else {
                continue
            }
            fields.append((name, text))
        }
        return fields.map { (prefix + $0.0, $0.1) }
    }

    /// The entry in an answer to GET that came `now`. Throws what is wrong with it.
    static func entry(
        _ key: EntryKey, in response: FetchResponse, now: Timestamp
    ) throws(Fault) -> CacheEntry {
        func value(_ name: String) -> String? {
            let values = response.values(of: prefix + name)
            return values.count == 1 ? values[0] : nil
        }
        guard value("version") == version, let length = value("length").flatMap({ Int($0) }),
            let hash = value("hash"), let fetched = value("fetched").flatMap({ Int64($0) }),
            let validated = value("validated").flatMap({ Int64($0) }), let name = value("key")
        else { throw .seal }
        guard name == key.description else { throw .key }
        guard plausible.contains(fetched), plausible.contains(validated) else { throw .seal }
        let bytes = response.body
        guard bytes.count == length, let format = ImageFormat(firstBytes: bytes) else {
            throw .body
        }
        let picture = Picture(
            bytes: bytes, format: format, made: Timestamp(nanoseconds: fetched))
        guard picture.hash.description == hash else { throw .body }
        return CacheEntry(
            picture: picture, validated: Timestamp(nanoseconds: validated),
            validators: Validators(
                entityTag: value("etag").flatMap(percentDecoded),
                lastModified: value("last-modified").flatMap(percentDecoded)
            ).usable(now: now))
    }

    /// With every byte escaped that is no letter, digit or `-._~` (RFC 3986, section 2.3).
    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    private static func percentDecoded(_ text: String) -> String? {
        var decoded: [UInt8] = []
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            decoded.append(value)
            bytes = bytes.dropFirst(2)
        }
        let decodedText = String(decoding: decoded, as: UTF8.self)
        // What goes into a request's header must not break it.
        return decoded.allSatisfy({ 0x20...0x7E ~= $0 }) ? decodedText : nil
    }
}
