import Glibc

/// Writes a whole file or none: beside its place, then renamed over it. Blocks.
///
/// What is there and no regular file (a device, a pipe) is written to as it is; a link is
/// followed, so that it is the file it leads to that changes. `-` is standard output.
func writeOutput(_ bytes: [UInt8], to path: String) throws {
    guard path != "-" else { return try StandardOutput.write(bytes) }
    do throws(SystemError) { try write(bytes, to: path) } catch {
        if let exitCode = error.stopExitCode { throw Failure(exitCode, "") }
        throw Failure(.cannotCreate, "cannot write \(quoted(path)): \(error.words)")
    }
}

private func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
        guard errno == ENOENT else { throw .last }
        return try replace(path, with: bytes)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: try replace(try realPath(path), with: bytes, mode: status.st_mode & 0o777)
    case S_IFDIR: throw SystemError(code: EISDIR)
    default:
        let file = try openSpecial(path, isFIFO: status.st_mode & S_IFMT == S_IFIFO)
        defer { close(file) }
        try writeAll(bytes, to: file)
    }
}

/// Opens a device, or a FIFO once it has a reader. Blocks, but not beyond a signal that asks the
/// process to stop: then throws `ECANCELED`.
private func openSpecial(_ path: String, isFIFO: Bool) throws(SystemError) -> Int32 {
    while true {
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if file >= 0 { return file }
        // fifo(7): no reader yet. Nothing tells when one comes.
        guard isFIFO, errno == ENXIO else { throw .last }
        guard StopPipe.process.pause(milliseconds: 50) else { throw SystemError(code: ECANCELED) }
    }
}

/// Puts `bytes` in the place of `path`. `mode`: the permissions of the file that is replaced.
private func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t? = nil
) throws(SystemError) {
    let (file, temporary) = try createBeside(path)
    do throws(SystemError) {
        defer { close(file) }
        if let mode { fchmod(file, mode) }
        try writeAll(bytes, to: file)
        // Without it, a power cut may leave an empty file under the final name.
        guard fdatasync(file) == 0 || errno == EINVAL else { throw .last }
    } catch {
        unlink(temporary)
        throw error
    }
    guard rename(temporary, path) == 0 else {
        let error = SystemError.last
        unlink(temporary)
        throw error
    }
}

/// Makes a new file in the folder of `path`, under a name that no other process uses.
private func createBeside(_ path: String) throws(SystemError) -> (file: Int32, path: String) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    for attempt in 0..<100 {
        let temporary = "\(folder).onesheet-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        if file >= 0 { return (file, temporary) }
        guard errno == EEXIST, attempt < 99 else { break }
    }
    throw .last
}

private func realPath(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .last }
    defer { free(resolved) }
    return String(cString: resolved)
}
