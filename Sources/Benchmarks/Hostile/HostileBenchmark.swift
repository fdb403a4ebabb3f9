import Glibc
import PosterImages

/// Measures what hostile and giant pictures cost, `Benchmarks hostile [NAME…]`: CPU time and peak
/// memory of proving one, of a thumbnail of 120×180, and of the largest thumbnail there is in each
/// format, at quality 100, which takes the most.
///
/// Each is measured in a process of its own, so that a peak is one picture's; memory includes the
/// picture's own bytes. Exits 1 when anything goes over its limit.
func measureHostile(_ names: [String]) throws {
    let chosen = HostilePicture.all.filter { names.isEmpty || names.contains($0.name) }
    var isOver = false
    print(
        "| picture | kB | prove: ms · MB | 120×180: ms · MB | 2000×3000 JPEG: ms · MB "
            + "| PNG: ms · MB | WebP: ms · MB | answer |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for picture in chosen {
        let path = "/tmp/hostile-\(getpid())"
        defer { unlink(path) }
        guard let size = child("make", picture.name, path).flatMap({ Int($0) }) else {
            fatalError("cannot make \(picture.name)")
        }
        var (cells, answer) = ([String](), "")
        for job in HostileJob.allCases {
            guard let line = child("try", job.rawValue, path) else {
                fatalError("\(picture.name) ended the process")
            }
            let fields = line.split(separator: "\t", maxSplits: 2).map(String.init)
            let (milliseconds, megabytes) = (Double(fields[0]) ?? 0, Double(fields[1]) ?? 0)
            answer = fields[2]
            let over = !picture.kind.allows(milliseconds: milliseconds, megabytes: megabytes)
            isOver = isOver || over
            cells.append(
                "\(tenths(milliseconds)) · \(tenths(megabytes))" + (over ? " **over**" : ""))
        }
        print(
            "| \(picture.name) | \((size + 999) / 1000) | "
                + cells.joined(separator: " | ") + " | \(answer) |")
    }
    if isOver { exit(1) }
}

/// Makes a picture or tries one: what ``measureHostile(_:)`` runs itself again for.
func hostileChild(_ arguments: [String]) throws {
    guard arguments.count == 3 else { exit(EX_USAGE) }
    if arguments[0] == "make" {
        guard let picture = HostilePicture.all.first(where: { $0.name == arguments[1] }) else {
            exit(EX_USAGE)
        }
        let bytes = picture.make()
        let file = fopen(arguments[2], "wb")
        guard let file, fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0
        else { exit(EX_CANTCREAT) }
        return print(bytes.count)
    }
    guard let job = HostileJob(rawValue: arguments[1]) else { exit(EX_USAGE) }
    let pool = PixelPool(threads: 1)
    defer { pool.stop() }
    // What the libraries load and make once is no picture's cost.
    _ = try? job.run(JPEGForgery.progressive(width: 64, height: 96, components: 3, scans: 4), pool)
    let rest = status("VmRSS")
    guard let bytes = read(arguments[2]) else { exit(EX_NOINPUT) }
    let start = processMicroseconds()
    var answer = "shown"
    do { try job.run(bytes, pool) } catch { answer = "\(error)" }
    let milliseconds = (processMicroseconds() - start) / 1000
    print("\(milliseconds)\t\(max(status("VmHWM") - rest, 0) / 1e6)\t\(answer)")
}

/// What is done to a picture.
enum HostileJob: String, CaseIterable {
    case prove, small, jpeg, png, webp

    func run(_ bytes: [UInt8], _ pool: PixelPool) throws {
        switch self {
        case .prove: _ = try pool.verify(bytes)
        case .small:
            _ = try pool.thumbnails(of: bytes, as: [ThumbnailVariant(width: 120, height: 180)])
        case .jpeg, .png, .webp:
            let format = ImageFormat(rawValue: rawValue) ?? .jpeg
            _ = try pool.thumbnails(
                of: bytes,
                as: [
                    ThumbnailVariant(width: 2000, height: 3000, quality: 100, format: format)
                ])
        }
    }
}

extension HostilePicture.Kind {
    /// A bomb 50 ms and 20 MB, anything 1 s and 160 MiB.
    func allows(milliseconds: Double, megabytes: Double) -> Bool {
        switch self {
        case .bomb: milliseconds <= 50 && megabytes <= 20
        case .giant: milliseconds <= 1000 && megabytes <= 160 * 1.048576
        }
    }
}

/// A line that this program prints when it is run again with `arguments`; `nil` when it fails.
private func child(_ arguments: String...) -> String? {
    let command = (["exec /proc/\(getpid())/exe hostile-child"] + arguments).joined(separator: " ")
    guard let pipe = popen(command, "r") else { return nil }
    var buffer = [CChar](repeating: 0, count: 4096)
    let line = fgets(&buffer, Int32(buffer.count), pipe).map { String(cString: $0) }
    guard pclose(pipe) == 0 else { return nil }
    return line.map { $0.last == "\n" ? String($0.dropLast()) : $0 }
}

/// A field of `/proc/self/status`, in bytes.
private func status(_ field: String) -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while let line = fgets(&buffer, Int32(buffer.count), file).map({ String(cString: $0) }) {
        guard line.hasPrefix(field + ":") else { continue }
        return line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }.first
            .map { $0 * 1024 } ?? 0
    }
    return 0
}

private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
