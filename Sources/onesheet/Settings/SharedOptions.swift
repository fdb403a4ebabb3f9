import Amodb
import Glibc
import PosterBase
import PosterFetch
import PosterImages
import PosterKit
import PosterObjectStore

/// The options that several commands have in common.
enum SharedOptions {
    static let cacheDirectory = Option(
        name: "cache-dir", placeholder: "DIR", help: "where the cache lies",
        environment: ["ONESHEET_CACHE_DIR", "CACHE_DIRECTORY"],
        standardNote: "$XDG_CACHE_HOME/onesheet, else ~/.cache/onesheet")
    static let imageBase = Option(
        name: "image-base", placeholder: "URL", help: "where the posters lie",
        environment: ["ONESHEET_IMAGE_BASE"], standard: BaseURL.amodbImages.description)
    static let apiBase = Option(
        name: "api-base", placeholder: "URL", help: "where the list API answers",
        environment: ["ONESHEET_API_BASE"], standard: BaseURL.amodbAPI.description)
    static let maxAge = Option(
        name: "max-age", placeholder: "AGE",
        help: "how long a poster is good: a number and s, m, h, d or w",
        environment: ["ONESHEET_MAX_AGE"], standard: "30d")
    static let caFile = Option(
        name: "ca-file", placeholder: "FILE",
        help: "certificates in PEM to trust upstream by, instead of the system's",
        environment: ["ONESHEET_CA_FILE"])
    static let concurrency = Option(
        name: "concurrency", short: "c", placeholder: "N",
        help: "requests to the image host at once, up to 256; 0: as many as that",
        standard: "8")
    static let rate = Option(
        name: "rate", placeholder: "N", help: "requests to the image host a second; 0: no limit",
        standard: "40")
    static let apiRate = Option(
        name: "api-rate", placeholder: "N",
        help:
            "requests to the list API a minute, by all processes of the cache directory together; "
            + "0: no limit",
        environment: ["ONESHEET_API_RATE"], standard: "20")
    static let listCache = Option(
        name: "list-cache", placeholder: "SIZE",
        help: "how many bytes of the disk kept lists may take; may end in K, M or G",
        environment: ["ONESHEET_LIST_CACHE"], standard: "64M")
    static let quality = Option(
        name: "quality", placeholder: "Q", help: "the quality of a JPEG or WebP, from 1 to 100",
        standard: String(ThumbnailVariant.defaultQuality))
    static let format = Option(
        name: "format", short: "f", placeholder: "FORMAT", help: "jpeg, png or webp",
        standardNote: "as OUT ends, else jpeg", choices: ImageFormat.allCases.map(\.rawValue))
    static let json = Option(name: "json", help: "print one JSON document instead of text")
    static let quiet = Option(name: "quiet", short: "q", help: "say nothing unless something fails")

    /// The options of a command that reads and fills the cache, those for output included.
    static let store =
        [cacheDirectory, imageBase, maxAge, caFile] + ObjectStoreOptions.all
        + [json, quiet, Command.help]

    /// Those, and what asks for lists.
    static let lists =
        [cacheDirectory, imageBase, apiBase, maxAge, caFile] + ObjectStoreOptions.all
        + [json, quiet, Command.help]

    /// A JPEG's or WebP's quality.
    static func quality(_ arguments: Arguments) throws(Failure) -> Int {
        try arguments.number(quality, in: 1...100)
    }

    /// The format that was asked for, else the one that the name of the output ends in, else
    /// JPEG. `output` may be a pattern.
    static func format(_ arguments: Arguments, output: String) throws(Failure) -> ImageFormat {
        if let format = try arguments.value(format, as: ImageFormat.self) { return format }
        return OutputName.format(of: output) ?? .jpeg
    }

    /// Where the cache lies. systemd may name several directories with colons between them; the
    /// first is ours.
    static func cacheDirectory(_ arguments: Arguments) throws(Failure) -> String {
        let environment = arguments.environment
        let isSystemd =
            !arguments.isTyped(cacheDirectory) && environment["ONESHEET_CACHE_DIR"] == nil
            && environment["CACHE_DIRECTORY"] != nil
        if let directory = try arguments.value(cacheDirectory, as: String.self) {
            return isSystemd ? String(directory.prefix { $0 != ":" }) : directory
        }
        // A relative one is to be ignored (XDG Base Directory Specification 0.8).
        if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
            return base + "/onesheet"
        }
        guard let home = environment["HOME"] else {
            throw Failure(
                .configuration,
                "there is no place for the cache: give --cache-dir, or set ONESHEET_CACHE_DIR or "
                    + "HOME")
        }
        return home + "/.cache/onesheet"
    }

    /// How many requests to the image host there may be at once. Each has a thread of its own, so
    /// that "no limit" is a limit all the same.
    static func concurrency(_ arguments: Arguments) throws(Failure) -> Int {
        let most = 256
        let number = try arguments.number(concurrency, in: 0...most)
        return number == 0 ? most : number
    }

    /// Puts what the options say of lists into a configuration: where the API is, how often it
    /// may be asked, and how much is kept.
    static func setLists(
        _ configuration: inout Configuration, _ arguments: Arguments
    ) throws(Failure) {
        configuration.apiBase = try arguments.required(apiBase)
        configuration.listRequestsPerMinute = try arguments.number(apiRate, in: 0...6000)
        configuration.listCacheBytes = try arguments.required(listCache, as: ByteSize.self).bytes
    }

    /// Ends a command at once that cannot do without fetching.
    static func requireHTTPClient() throws(Failure) {
        do throws(FetchError) { try Program.requireHTTPClient() } catch {
            throw Failure(.configuration, error.detail)
        }
    }

    /// A store's configuration as the options that a command has say it.
    static func configuration(_ arguments: Arguments) throws(Failure) -> Configuration {
        var configuration = Configuration(cacheDirectory: try cacheDirectory(arguments))
        configuration.imageBase = try arguments.required(imageBase)
        configuration.maxAge = try arguments.required(maxAge, as: Age.self).duration
        configuration.caFile = try certificates(arguments, caFile)
        configuration.objectStore = try ObjectStoreOptions.settings(arguments)
        if configuration.objectStore != nil { try requireSigning() }
        return configuration
    }

    /// Ends a command at once whose requests to a store have no reader.
    static func requireSigning() throws(Failure) {
        do throws(FetchError) { try Program.requireRequestSigning() } catch {
            throw Failure(.configuration, error.detail)
        }
    }

    /// The file of certificates that an option names. Throws for one that cannot be read: libcurl
    /// would tell only at the first fetch, and then of every single one.
    static func certificates(
        _ arguments: Arguments, _ option: Option
    ) throws(Failure) -> String? {
        guard let file = try arguments.value(option, as: String.self) else { return nil }
        do throws(InputError) { _ = try readInput(file, limit: 16 << 20) } catch {
            throw Failure(.configuration, "\(option.spelling): \(error.message)")
        }
        return file
    }
}
