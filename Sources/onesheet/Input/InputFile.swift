import Glibc

/// Reads a whole file, `-` being standard input. Blocks, but not beyond a signal that asks the
/// process to stop. Throws when it holds more than `limit` bytes, and, where `isRegularOnly`, for
/// a FIFO, a device or a socket.
func readInput(
    _ path: String, limit: Int, isRegularOnly: Bool = false, stop: StopPipe = .process
) throws(InputError) -> [UInt8] {
    guard path != "-" else { return try readAll(STDIN_FILENO, "standard input", limit, stop) }
    if isRegularOnly {
        // Before it is opened: to open a device may do something, such as rewind a tape.
        var status = stat()
        guard stat(path, &status) == 0 else { throw InputError(path, .cannotOpen(.last)) }
        try refuseSpecial(status, path)
    }
    // Else the open itself would wait for a FIFO's writer; poll(2) waits for it instead.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw InputError(path, .cannotOpen(.last)) }
    defer { close(file) }
    if isRegularOnly {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw InputError(path, .cannotRead(.last)) }
        try refuseSpecial(status, path)
    }
    return try readAll(file, path, limit, stop)
}

/// Reads what there is, `count` bytes at most; nothing at the end of the file. Blocks, but not
/// beyond a signal that asks the process to stop.
func readSome(
    _ file: Int32, upTo count: Int, name: String, stop: StopPipe = .process
) throws(InputError) -> [UInt8] {
    while true {
        guard stop.waitToRead(file) else { throw InputError(name, .stopped(stop.signal ?? 0)) }
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let got = read(file, buffer.baseAddress, count)
            if got < 0 { code = errno }
            filled = max(0, got)
        }
        if code == 0 { return bytes }
        // Another reader of the pipe may have been faster.
        if code == EINTR || code == EAGAIN { continue }
        // A directory opens well and fails here; for the user it is no such file all the same.
        let error = SystemError(code: code)
        throw InputError(name, error.code == EISDIR ? .cannotOpen(error) : .cannotRead(error))
    }
}

private func refuseSpecial(_ status: stat, _ path: String) throws(InputError) {
    let kind: InputError.SpecialFile? =
        switch status.st_mode & S_IFMT {
        case S_IFIFO: .fifo
        case S_IFCHR, S_IFBLK: .device
        case S_IFSOCK: .socket
        default: nil
        }
    if let kind { throw InputError(path, .special(kind)) }
}

private func readAll(
    _ file: Int32, _ name: String, _ limit: Int, _ stop: StopPipe
) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
        let most = min(1 << 20, limit + 1 - bytes.count)
        let piece = try readSome(file, upTo: most, name: name, stop: stop)
        if piece.isEmpty { return bytes }
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    throw InputError(name, .tooLong(limit: limit))
}

/// Why an input could not be read.
struct InputError: ExitCoded, Equatable {
    /// What is no regular file.
    enum SpecialFile: String {
        case fifo = "a FIFO"
        case device = "a device"
        case socket = "a socket"
    }

    /// What went wrong.
    enum Cause: Equatable {
        case cannotOpen(SystemError)
        case cannotRead(SystemError)
        /// Only regular files are read here.
        case special(SpecialFile)
        /// It holds more bytes than the limit.
        case tooLong(limit: Int)
        /// A signal asked the process to stop while it waited for more.
        case stopped(Int32)
    }

    /// As the user named it.
    let name: String
    let cause: Cause

    init(_ name: String, _ cause: Cause) { (self.name, self.cause) = (name, cause) }

    var exitCode: ExitCode {
        switch cause {
        case .cannotOpen, .special: .noInput
        case .cannotRead: .ioError
        case .tooLong: .badData
        case .stopped(let signal): .stopped(signal: signal)
        }
    }

    var message: String {
        switch cause {
        case .cannotOpen(let error): "cannot open \(quoted(name)): \(error.words)"
        case .cannotRead(let error): "cannot read \(quoted(name)): \(error.words)"
        case .special(let kind):
            "\(quoted(name)) is \(kind.rawValue): only regular files are read, and - for standard "
                + "input"
        case .tooLong(let limit): "\(quoted(name)) has more than \(limit) bytes, the limit"
        case .stopped: ""
        }
    }
}
