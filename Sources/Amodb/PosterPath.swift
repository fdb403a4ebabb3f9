/// A poster's place on the image host, as the API's `poster_path` gives it: `/NAME.EXT`.
///
/// One leading slash, NAME of 1 to 128 characters out of `A-Z a-z 0-9 - _`, EXT `jpg`, `jpeg` or
/// `png`, all of it case-sensitive. A value of this type holds nothing that could leave a
/// directory, a URL path or a header line, so a caller that has one need not check again.
public struct PosterPath: Hashable, Sendable {
    /// The endings that posters have. They say nothing about the bytes.
    public enum FileExtension: String, CaseIterable, Sendable {
        /// The image host's usual ending.
        case jpg
        /// The long spelling, seen on old entries.
        case jpeg
        /// Rare; the bytes behind it may still be a JPEG.
        case png
    }

    /// The longest NAME, in characters.
    public static let maxNameLength = 128

    /// NAME, without slash and ending.
    public let name: String

    /// EXT.
    public let fileExtension: FileExtension

    /// Reads `/NAME.EXT`. Throws what is wrong with it, with the value quoted.
    public init(_ text: String) throws(PosterPathError) {
        func refusal(_ rule: PosterPathError.Rule) -> PosterPathError {
            .init(value: text, rule: rule)
        }
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/") else {
            throw refusal(text.contains("://") ? .wholeURL : .leadingSlash)
        }
        let file = bytes.dropFirst()
        guard file.first != UInt8(ascii: "/") else { throw refusal(.doubleSlash) }
        guard !file.contains(UInt8(ascii: "/")) else { throw refusal(.oneSegment) }
        guard !file.contains(UInt8(ascii: "%")) else { throw refusal(.percentSign) }
        guard let dot = file.lastIndex(of: UInt8(ascii: ".")) else { throw refusal(.ending) }
        let (name, ending) = (file[..<dot], file[file.index(after: dot)...])
        guard let fileExtension = FileExtension(rawValue: String(decoding: ending, as: UTF8.self))
        else { throw refusal(.ending) }
        guard (1...Self.maxNameLength).contains(name.count) else { throw refusal(.nameLength) }
        guard name.allSatisfy(Self.isNameByte) else { throw refusal(.nameCharacters) }
        self.name = String(decoding: name, as: UTF8.self)
        self.fileExtension = fileExtension
    }

    /// Reads a `poster_path` value as the API gives it: `nil` is *no poster*, a state of its own
    /// and no error, and stands for a missing or null value, the empty string, and the word
    /// `null` (with or without slash) that a front end makes of null by blind joining.
    public static func parse(_ value: String?) throws(PosterPathError) -> PosterPath? {
        switch value {
        case nil, "", "null", "/null": nil
        case .some(let text): try PosterPath(text)
        }
    }

    /// `NAME.EXT`, the last segment of the image URL and the entry's file name.
    public var fileName: String { "\(name).\(fileExtension.rawValue)" }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension PosterPath: CustomStringConvertible {
    /// `/NAME.EXT`, which reads back as the same value.
    public var description: String { "/\(fileName)" }
}
