import Amodb
import Glibc
import PosterBase
import PosterCache
import PosterFetch
import PosterImages
import PosterKit
import PosterLists
import PosterServer

/// What the process ends with, after sysexits.h.
enum ExitCode: Equatable, Sendable {
    /// 0: done.
    case done
    /// 1: done but for some items, which the summary names.
    case someFailed
    /// 64 (`EX_USAGE`): the command line is wrong.
    case usage
    /// 65 (`EX_DATAERR`): an input is no usable image.
    case badData
    /// 66 (`EX_NOINPUT`): an input file cannot be opened.
    case noInput
    /// 69 (`EX_UNAVAILABLE`): upstream is not there, or has no such thing.
    case unavailable
    /// 70 (`EX_SOFTWARE`): this program's own fault.
    case software
    /// 73 (`EX_CANTCREAT`): an output cannot be made.
    case cannotCreate
    /// 74 (`EX_IOERR`): reading or writing failed.
    case ioError
    /// 75 (`EX_TEMPFAIL`): not now; try later.
    case tryLater
    /// 77 (`EX_NOPERM`): the key is missing or refused, or its plan ended.
    case keyRefused
    /// 78 (`EX_CONFIG`): a setting is wrong.
    case configuration
    /// 128 + n: a signal asked it to stop, as shells spell it.
    case stopped(signal: Int32)

    /// As the process ends with it.
    var status: Int32 {
        switch self {
        case .done: 0
        case .someFailed: 1
        case .usage: 64
        case .badData: 65
        case .noInput: 66
        case .unavailable: 69
        case .software: 70
        case .cannotCreate: 73
        case .ioError: 74
        case .tryLater: 75
        case .keyRefused: 77
        case .configuration: 78
        case .stopped(let signal): 128 + signal
        }
    }
}

/// An error that knows the exit code it ends the process with.
protocol ExitCoded: Error {
    var exitCode: ExitCode { get }

    /// One line for the user, lower case, without a full stop; empty when there is no user to tell.
    var message: String { get }
}

extension ExitCoded where Self: CustomStringConvertible {
    var message: String { description }
}

extension FetchError: ExitCoded {
    var exitCode: ExitCode {
        switch reason {
        case .rateLimited, .backingOff, .busy: .tryLater
        case .keyRefused, .planEnded: .keyRefused
        default: .unavailable
        }
    }
}

extension Unavailability: ExitCoded {
    var exitCode: ExitCode {
        switch self {
        case .noPoster, .missing: .unavailable
        case .failed(let error): error.exitCode
        }
    }
}

extension ListError: ExitCoded {
    var exitCode: ExitCode {
        switch self {
        case .keyMissing, .keyRefused, .planEnded: .keyRefused
        case .rateLimited, .budgetSpent, .cancelled: .tryLater
        case .status, .invalid: .unavailable
        case .unreachable(let error): error.exitCode
        }
    }
}

extension ImageError: ExitCoded {
    var exitCode: ExitCode {
        switch reason {
        case .decoder: .software
        default: .badData
        }
    }
}

extension FileError: ExitCoded {
    var exitCode: ExitCode {
        switch code {
        // Another file system, a file in a folder's place, a loop of links, a volume that folds
        // case, a directory of other things: the place is wrong, not the moment.
        case EXDEV, ENOTDIR, ELOOP, EEXIST, ENOTEMPTY, EINVAL: .configuration
        case ENOENT, EACCES, EPERM, EROFS: .cannotCreate
        default: .ioError
        }
    }

    var message: String {
        "cannot \(operation.rawValue) \(quoted(path)): \(reason ?? SystemError(code: code).words)"
    }
}

extension Prune.Refusal: ExitCoded {
    var exitCode: ExitCode {
        switch self {
        case .locked: .tryLater
        case .notACache: .noInput
        case .notOurs: .configuration
        // A file system without locks, on which two prunes cannot be kept apart.
        case .disk(let error) where error.operation == .lock: .configuration
        case .disk: .ioError
        }
    }

    var message: String {
        switch self {
        case .locked: "another prune of this cache is at work"
        case .notACache, .notOurs: description
        case .disk(let error): error.message
        }
    }
}

extension PosterPathError: ExitCoded {
    var exitCode: ExitCode { .usage }
}

extension ListRequestError: ExitCoded {
    var exitCode: ExitCode { .usage }
}

extension ServerError: ExitCoded {
    var exitCode: ExitCode {
        switch self {
        case .address: .usage
        case .listen(_, let code):
            // Another process listens there now, and may end.
            code == EADDRINUSE ? .tryLater : .configuration
        case .descriptors: .software
        }
    }
}
