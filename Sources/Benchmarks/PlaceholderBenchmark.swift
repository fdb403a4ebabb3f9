import PosterImages
import PosterPlaceholders

/// Measures placeholders, drawn and encoded, for titles from none to the longest, at sizes from a
/// list's to the largest, in each format.
///
/// Prints one tab-separated line a size, format and title: CPU milliseconds, the median of the
/// rounds, and bytes; then the dearest. None may take more than 20 ms.
func measurePlaceholders() throws {
    let titles = [
        ("none", ""), ("short", "Stalker"), ("Cyrillic", "Москва слезам не верит"),
        ("Chinese", "重慶森林: 一個關於愛情與失去的故事"), ("Arabic", "قمر فوق المرفأ"),
        ("long", "Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb"),
        ("longest", String(String(repeating: "Words without an end ", count: 10).prefix(200))),
        ("one word of 200", String(repeating: "W", count: 200)),
        ("Chinese, longest", String(repeating: "鬱龘讓戀", count: 50)),
        ("Hindi, longest", String(repeating: "क्षत्रिय ", count: 25)),
        ("emoji", String(repeating: "🎬🚀", count: 20)),
        ("emoji, longest", String(repeating: "🎬🚀", count: 100)),
    ]
    let sizes = [(342, 513), (500, 750), (800, 1200), (1264, 1896), (2000, 3000), (2000, 500)]
    let pool = PixelPool(threads: 1)
    defer { pool.stop() }
    print("size\tformat\tquality\ttitle\tms\tbytes")
    var dearest = 0.0
    for (width, height) in sizes {
        for format in ImageFormat.allCases {
            for (name, title) in titles {
                for quality in format == .png ? [82] : [82, 100] {
                    let request = try PlaceholderRequest(
                        width: width, height: height, kind: .missing, title: title, seed: title,
                        format: format, quality: quality)
                    let bytes = try pool.placeholder(request).count
                    let time = try medianMicroseconds(
                        rounds: 9, [{ _ = try pool.placeholder(request) }])[0]
                    dearest = max(dearest, time)
                    print(
                        "\(width)×\(height)\t\(format.rawValue)\t\(quality)\t\(name)\t"
                            + "\((time / 10).rounded() / 100)\t\(bytes)")
                }
            }
        }
    }
    print("the dearest: \((dearest / 10).rounded() / 100) ms; the limit: 20 ms")
}
