import Amodb
import Glibc

/// Why a server did not start.
public enum ServerError: Error, Equatable, Sendable {
    /// The text is no numeric address.
    case address(String)
    /// The address cannot be listened on; the code is errno's.
    case listen(String, code: Int32)
    /// The system has no more descriptors; the code is errno's.
    case descriptors(code: Int32)
}

extension ServerError: CustomStringConvertible {
    /// One line with what decided.
    public var description: String {
        switch self {
        case .address(let text): "\(Quoted(text)) is not ADDRESS:PORT with a numeric address"
        case .listen(let place, let code):
            "cannot listen on \(place): \(String(cString: strerror(code)))"
        case .descriptors(let code):
            "cannot start the HTTP service: \(String(cString: strerror(code)))"
        }
    }
}
