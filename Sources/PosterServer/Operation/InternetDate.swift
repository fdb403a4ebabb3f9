import Glibc
import PosterBase
import PosterHTTP

/// Dates as logs write them (RFC 3339), in UTC and milliseconds.
enum InternetDate {
    /// `2026-11-30T06:15:00.123Z`
    static func format(_ time: Timestamp) -> String {
        var (seconds, fields) = (time_t(time.seconds), tm())
        gmtime_r(&seconds, &fields)
        let milliseconds = Int(time.nanosecondsOfSecond / 1_000_000)
        func padded(_ number: Int, _ digits: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let date = [Int(fields.tm_mon) + 1, Int(fields.tm_mday)].map { "-" + padded($0) }.joined()
        let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded(Int($0)) }
        return padded(Int(fields.tm_year) + 1900, 4) + date + "T" + clock.joined(separator: ":")
            + "." + padded(milliseconds, 3) + "Z"
    }
}
