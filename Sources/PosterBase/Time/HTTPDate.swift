import Glibc

/// Dates as HTTP writes and reads them (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The IMF-fixdate form, `Sun, 06 Nov 1994 08:49:37 GMT`, in whole seconds.
    package static func format(_ time: Timestamp) -> String {
        var (seconds, fields) = (time_t(time.seconds), tm())
        gmtime_r(&seconds, &fields)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(Int(fields.tm_year) + 1900)
        let padded = String(repeating: "0", count: max(0, 4 - year.count)) + year
        return "\(days[Int(fields.tm_wday)]), \(two(fields.tm_mday)) \(months[Int(fields.tm_mon)]) "
            + "\(padded) \(two(fields.tm_hour)):\(two(fields.tm_min)):\(two(fields.tm_sec)) GMT"
    }

    /// Reads the three forms that RFC 9110 asks a recipient to accept: IMF-fixdate, RFC 850
    /// (a two-digit year more than 50 years after `now` lies in the past) and asctime.
    /// `nil` for anything else, an impossible date included.
    package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "-" }).map(String.init)
        guard let first = words.first else { return nil }
        switch (first.hasSuffix(","), words.count) {
        case (true, 6):
            guard words[5] == "GMT" else { return nil }
            return moment(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        case (false, 5):
            return moment(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
        default: return nil
        }
    }

    private static func moment(
        day: String, month: String, year: String, time: String, now: Timestamp
    ) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day[...]), let monthIndex = months.firstIndex(of: month),
            let written = number(year[...]), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        guard year.utf8.count == 4 || year.utf8.count == 2 else { return nil }
        let fullYear = year.utf8.count == 4 ? written : century(of: written, now: now)
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
            Int32(fullYear - 1900), Int32(monthIndex), Int32(day)
        )
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        let seconds = timegm(&fields)
        // timegm turns 31 February into 3 March; such a date is refused instead.
        guard fields.tm_mday == Int32(day), fields.tm_mon == Int32(monthIndex) || second == 60
        else { return nil }
        return Timestamp(seconds: Int64(seconds))
    }

    private static func century(of year: Int, now: Timestamp) -> Int {
        var (seconds, fields) = (time_t(now.seconds), tm())
        gmtime_r(&seconds, &fields)
        let thisYear = Int(fields.tm_year) + 1900
        let candidate = thisYear / 100 * 100 + year
        return candidate > thisYear + 50 ? candidate - 100 : candidate
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return Int(text)
    }
}
