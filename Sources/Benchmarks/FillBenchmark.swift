import Amodb
import Glibc
import PosterKit

/// Measures filling an empty cache: `Benchmarks fill IMAGE_BASE CACHE_DIR PATHS`, where PATHS is a
/// file of poster paths, one a line.
///
/// Fetches, proves and stores each at w342, as a prefetch does, and prints one tab-separated line:
/// posters, failures, seconds, CPU seconds of the process, largest resident kilobytes. The fair
/// comparison is `curl --parallel` on the same URLs plus one decode of each file by libjpeg-turbo.
func measureFilling(_ arguments: [String]) throws {
    guard arguments.count == 3, let text = readText(arguments[2]) else {
        print("usage: Benchmarks fill IMAGE_BASE CACHE_DIR PATHS")
        return
    }
    let paths = try text.split(separator: "\n").map { try PosterPath(String($0)) }
    var configuration = Configuration(cacheDirectory: arguments[1])
    configuration.imageBase = try BaseURL(arguments[0])
    configuration.requestsPerSecond = 0
    configuration.queueLength = paths.count
    let store = try PosterStore(configuration)
    let (start, before) = (ContinuousClock.now, processMicroseconds())
    let left = Monitor((count: paths.count, failures: 0))
    for path in paths {
        let wish = Wish(path, .poster(.w342), drawsPlaceholder: false, priority: .background)
        store.answer(wish, by: nil) { answer in
            left.withLock { left in
                left.count -= 1
                if case .fresh = answer.state { return }
                left.failures += 1
            }
            left.signal()
        }
    }
    let failures = left.wait { $0.count == 0 ? $0.failures : nil }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    let processor = (processMicroseconds() - before) / 1e6
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    print("posters\tfailures\tseconds\tCPU seconds\tkilobytes")
    print("\(paths.count)\t\(failures)\t\(elapsed)\t\(processor)\t\(usage.ru_maxrss)")
    store.close()
}

private func readText(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
}
