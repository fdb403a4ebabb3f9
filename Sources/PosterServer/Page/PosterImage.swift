import Amodb
import PosterImages
import PosterPlaceholders

/// The `<img>` of a film's poster: a thumbnail of the size shown, at three densities.
struct PosterImage {
    let film: Film
    /// CSS pixels.
    let width: Int
    /// CSS pixels.
    let height: Int
    /// Whether it is fetched when it comes near the window only.
    var isLazy = true
    /// What stands in its place until it comes, where it is known.
    var tint: Tint?

    /// Its title stands beside it, so the picture needs no words of its own.
    var html: HTML {
        let sources = [1, 2, 3].map { "\(address(density: $0)) \($0)x" }.joined(separator: ", ")
        return """
            \(ground)<img src="\(address(density: 1))" srcset="\(sources)" width="\(width)" \
            height="\(height)" alt=""\(isLazy ? " loading=\"lazy\"" : "" as HTML) decoding="async">
            """
    }

    /// A presentation attribute: inline styles are not allowed here, and a script would be late.
    private var ground: HTML {
        guard let tint else { return "" }
        return """
            <svg class="tint" aria-hidden="true"><rect width="100%" height="100%" \
            fill="\(tint.description)"/></svg>
            """
    }

    /// A `poster_path` that is none of ours gives a placeholder, like one that is missing.
    private func address(density: Int) -> String {
        let title = Self.percentEncoded(Self.caption(film.title ?? ""))
        let query = title.isEmpty ? "" : "title=\(title)"
        let poster: PosterPath?
        do { poster = try film.poster() } catch { poster = nil }
        guard let poster else {
            let box = "\(width * density)x\(height * density)"
            return "/placeholder/\(box)" + (query.isEmpty ? "" : "?" + query)
        }
        let parameters = [query, density == 1 ? "" : "dpr=\(density)"].filter { !$0.isEmpty }
        return "/thumb/\(width)x\(height)/\(poster.fileName)"
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }

    /// As much of a title as a placeholder takes, and as a request line has room for.
    private static func caption(_ title: String) -> String {
        var (caption, bytes) = ("", 0)
        for character in title.prefix(PlaceholderRequest.maxTitleLength) {
            let scalars = character.unicodeScalars.filter {
                $0.properties.generalCategory != .control
            }
            bytes += scalars.reduce(0) { $0 + UTF8.width($1) }
            guard bytes <= 600 else { break }
            caption.unicodeScalars.append(contentsOf: scalars)
        }
        return caption
    }

    /// RFC 3986, section 2: all but the unreserved characters.
    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [
                    UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
                ]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
