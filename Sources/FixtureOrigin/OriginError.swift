import Glibc

/// Why an origin could not start.
enum OriginError: Error, Equatable {
    /// The command line is wrong; the text says where.
    case usage(String)
    /// There is no folder at the path given for the fixtures.
    case noFixtures(path: String)
    /// The loopback port could not be bound; `code` is the `errno`.
    case cannotListen(port: UInt16, code: Int32)
}

extension OriginError: CustomStringConvertible {
    var description: String {
        switch self {
        case .usage(let complaint):
            return complaint
        case .noFixtures(let path):
            return "no folder of fixtures at \(path)"
        case .cannotListen(let port, let code):
            return "cannot listen on 127.0.0.1:\(port): \(String(cString: strerror(code)))"
        }
    }
}
