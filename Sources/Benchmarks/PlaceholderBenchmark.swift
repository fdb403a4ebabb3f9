import PosterKit

/// Measures placeholders of the usual size, drawn and encoded, for titles from none to the longest,
/// in each format.
///
/// Prints one tab-separated line a title and format: CPU microseconds, the median of the rounds,
/// and bytes.
func measurePlaceholders() throws {
    let titles = [
        ("none", ""), ("short", "Stalker"), ("Cyrillic", "Москва слезам не верит"),
        ("Chinese", "重慶森林: 一個關於愛情與失去的故事"), ("Arabic", "قمر فوق المرفأ"),
        ("long", "Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb"),
        ("longest", String(String(repeating: "Words without an end ", count: 10).prefix(200))),
        ("one word of 200", String(repeating: "W", count: 200)),
    ]
    let pool = PixelPool(threads: 1)
    defer { pool.stop() }
    print("title\tformat\tµs\tbytes")
    for (name, title) in titles {
        for format in ImageFormat.allCases {
            let request = try PlaceholderRequest(
                width: 342, height: 513, kind: .missing, title: title, seed: title, format: format)
            let bytes = try pool.placeholder(request).count
            let times = try medianMicroseconds(
                rounds: 40, [{ _ = try pool.placeholder(request) }])
            print("\(name)\t\(format.rawValue)\t\(Int(times[0].rounded()))\t\(bytes)")
        }
    }
}
