import Glibc

/// Reads a whole file, `-` being standard input. Blocks. Throws when it holds more than `limit`
/// bytes.
func readInput(_ path: String, limit: Int) throws(InputError) -> [UInt8] {
    guard path != "-" else { return try readAll(STDIN_FILENO, "standard input", limit) }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw InputError(path, .cannotOpen(.last)) }
    defer { close(file) }
    return try readAll(file, path, limit)
}

/// Reads what there is, `count` bytes at most; nothing at the end of the file. Blocks.
func readSome(_ file: Int32, upTo count: Int, name: String) throws(InputError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        var got = 0
        repeat { got = read(file, buffer.baseAddress, count) } while got < 0 && errno == EINTR
        if got < 0 { code = errno }
        filled = max(0, got)
    }
    guard code == 0 else {
        // A directory opens well and fails here; for the user it is no such file all the same.
        let error = SystemError(code: code)
        throw InputError(name, code == EISDIR ? .cannotOpen(error) : .cannotRead(error))
    }
    return bytes
}

private func readAll(_ file: Int32, _ name: String, _ limit: Int) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
        let piece = try readSome(file, upTo: min(1 << 20, limit + 1 - bytes.count), name: name)
        if piece.isEmpty { return bytes }
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    throw InputError(name, .tooLong(limit: limit))
}

/// Why an input could not be read.
struct InputError: ExitCoded, Equatable {
    /// What went wrong.
    enum Cause: Equatable {
        case cannotOpen(SystemError)
        case cannotRead(SystemError)
        /// It holds more bytes than the limit.
        case tooLong(limit: Int)
    }

    /// As the user named it.
    let name: String
    let cause: Cause

    init(_ name: String, _ cause: Cause) { (self.name, self.cause) = (name, cause) }

    var exitCode: ExitCode {
        switch cause {
        case .cannotOpen: .noInput
        case .cannotRead: .ioError
        case .tooLong: .badData
        }
    }

    var message: String {
        switch cause {
        case .cannotOpen(let error): "cannot open \(quoted(name)): \(error.words)"
        case .cannotRead(let error): "cannot read \(quoted(name)): \(error.words)"
        case .tooLong(let limit): "\(quoted(name)) has more than \(limit) bytes, the limit"
        }
    }
}
