import Glibc

/// A time as HTTP writes it, in whole seconds (RFC 9110 section 5.6.7, IMF-fixdate).
struct HTTPDate: Sendable {
    private static let format = "%a, %d %b %Y %H:%M:%S GMT"
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    let secondsSince1970: Int

    /// The time on the wall clock.
    static var now: HTTPDate { HTTPDate(secondsSince1970: time(nil)) }

    init(secondsSince1970: Int) { self.secondsSince1970 = secondsSince1970 }

    /// Reads an IMF-fixdate; nil for anything else, the two obsolete forms among it.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]),
            let month = Self.months.firstIndex(of: String(words[2])), let year = Int32(words[3])
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3, (1...9999).contains(year) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        secondsSince1970 = timegm(&parts)
    }

    var text: String {
        var seconds = secondsSince1970
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, Self.format, &parts)
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
