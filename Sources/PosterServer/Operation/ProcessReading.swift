import Glibc

/// What this process uses of the machine at one moment (proc(5)).
struct ProcessReading: Equatable, Sendable {
    /// Processor time since the start, of all threads.
    let cpuSeconds: Double
    let residentBytes: Int
    let threads: Int
    /// Files and sockets that are open; `nil` where the kernel does not say at once (before 6.2).
    let openFiles: Int?
    /// How many may be.
    let fileLimit: Int

    /// Reads `/proc/self`; `nil` where there is none.
    static func now() -> ProcessReading? {
        guard let text = readSmallFile("/proc/self/stat"), let name = text.lastIndex(of: ")")
        else { return nil }
        // No number of the kernel's is so large that a product with a page's bytes overflows.
        let most = 1 << 48
        // The third field and on: the second is the program's name, which may hold anything.
        let fields = text[text.index(after: name)...].split(separator: " ")
            .map { min(max(Int($0) ?? 0, 0), most) }
        guard fields.count > 21 else { return nil }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var folder = stat()
        let isKnown = stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0
        return ProcessReading(
            cpuSeconds: Double(fields[11] + fields[12]) / Double(sysconf(Int32(_SC_CLK_TCK))),
            residentBytes: fields[21] * sysconf(Int32(_SC_PAGESIZE)), threads: fields[17],
            openFiles: isKnown ? Int(folder.st_size) : nil,
            fileLimit: Int(clamping: limit.rlim_cur))
    }
}

/// The beginning of a file that the kernel makes up as it is read.
private func readSmallFile(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
}
