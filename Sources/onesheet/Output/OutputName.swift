import PosterImages

/// What the ending of an output's name says about the format of the picture in it.
enum OutputName {
    /// Formats that are not written, and the endings that other programs know them by.
    private static let foreign: Set<String> = [
        "apng", "avif", "avifs", "bmp", "cur", "dib", "eps", "gif", "heic", "heif", "ico", "j2k",
        "jp2", "jpx", "jxl", "pbm", "pdf", "pgm", "pnm", "ppm", "psd", "svg", "svgz", "tga", "tif",
        "tiff", "xbm", "xcf", "xpm",
    ]

    /// The format that the name ends in; `nil` when it ends in none that is written.
    static func format(of path: String) -> ImageFormat? { ending(of: path).flatMap(format(named:)) }

    /// Throws for a name that ends in the name of a format that is not written, and, unless the
    /// user has named the format, in that of another one than `format`: other programs would take
    /// the picture for what it is not. A name that ends in no format's name is any format's.
    static func check(
        _ path: String, holds format: ImageFormat, isNamed: Bool, _ command: String
    ) throws(Failure) {
        guard let ending = ending(of: path) else { return }
        if let named = self.format(named: ending) {
            guard named != format, !isNamed else { return }
            throw .usage(
                "-o \(quoted(path)): the ending .\(ending) names another format than "
                    + "\(format.rawValue), which would be written; say which with --format",
                see: command)
        }
        guard foreign.contains(ending) else { return }
        let all = ImageFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw .usage(
            "-o \(quoted(path)): the ending .\(ending) names a format that is not written; "
                + "formats are \(all)",
            see: command)
    }

    private static func format(named ending: String) -> ImageFormat? {
        ["jpg", "jpe", "jfif"].contains(ending) ? .jpeg : ImageFormat(rawValue: ending)
    }

    /// `a/b.JPG` → `jpg`; `nil` for a name without a dot, or that begins with its only one.
    private static func ending(of path: String) -> String? {
        guard path.last != "/", let name = path.split(separator: "/").last,
            let dot = name.lastIndex(of: "."), dot != name.startIndex
        else { return nil }
        let ending = name[name.index(after: dot)...]
        return ending.isEmpty ? nil : ending.lowercased()
    }
}
