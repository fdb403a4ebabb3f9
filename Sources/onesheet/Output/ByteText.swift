/// Bytes for people: `512 B`, `8.1 MiB`.
func byteText(_ bytes: Int) -> String {
    var (amount, unit) = (Double(bytes), 0)
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    // 1023.95 would be shown as 1024.0.
    while abs(amount) >= 1023.95, unit < units.count - 1 {
        (amount, unit) = (amount / 1024, unit + 1)
    }
    return (unit == 0 ? String(bytes) : fixedPoint(amount, places: 1)) + " " + units[unit]
}

/// A span of time for people: `0.08 s`, `3.2 s`, `4:05`, `1:02:03`.
func timeText(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0 else { return "?" }
    if seconds < 0.995 { return fixedPoint(seconds, places: 2) + " s" }
    if seconds < 9.95 { return fixedPoint(seconds, places: 1) + " s" }
    return wholeTimeText(seconds.rounded())
}

/// As ``timeText(_:)``, in whole seconds.
func wholeTimeText(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0 else { return "?" }
    let whole = Int(min(seconds, 1e9).rounded(.up))
    if whole < 60 { return "\(whole) s" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return whole < 3600
        ? "\(whole / 60):\(two(whole % 60))"
        : "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
}

extension Duration {
    /// Seconds with their fraction.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// An age for people, in its largest whole unit: `45 s`, `3 h`, `29 d`.
func ageText(_ age: Duration) -> String {
    let seconds = age.components.seconds
    switch seconds {
    case ..<0: return "in the future"
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
}
