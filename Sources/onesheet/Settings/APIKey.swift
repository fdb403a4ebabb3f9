import Glibc
import PosterBase

/// The list API's key, from the environment alone: a command line is seen by every user of the
/// machine.
enum APIKey {
    /// Much longer than any key, and short enough for a header line.
    private static let longest = 4096

    /// The key that `AMODB_KEY` holds, else that of the file that `AMODB_KEY_FILE` names, without
    /// the space around it; `nil` when neither is set. Throws for one that cannot be a key.
    static func read(_ environment: Environment) throws -> Secret? {
        if let key = environment[exactly: "AMODB_KEY"] {
            return try secret(key, from: "AMODB_KEY")
        }
        return try file(environment).map { try read(file: $0) }
    }

    /// The file that the key comes from; `nil` when it is no file's.
    static func file(_ environment: Environment) -> String? {
        environment[exactly: "AMODB_KEY"] == nil ? environment["AMODB_KEY_FILE"] : nil
    }

    /// The key that a file holds. Throws for one that cannot be read, or cannot be a key.
    static func read(file path: String) throws -> Secret {
        do {
            let bytes = try readInput(path, limit: longest)
            return try secret(String(decoding: bytes, as: UTF8.self), from: "AMODB_KEY_FILE")
        } catch let error as InputError {
            throw Failure(.configuration, "AMODB_KEY_FILE: \(error.message)")
        }
    }

    /// Keeps the key, and those of a store, out of what can be read of this process from outside: the kernel's copy of
    /// its environment, and core dumps.
    static func hide() {
        eraseVariable()
        ObjectStoreOptions.eraseVariables()
        // core(5): zero would still let a core be piped to a program; one stops both.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Takes the key out of the environment, where it is not needed.
    static func eraseVariable() {
        guard let text = getenv("AMODB_KEY") else { return }
        memset(text, 0, strlen(text))
        unsetenv("AMODB_KEY")
    }

    private static func secret(_ text: String, from source: String) throws(Failure) -> Secret {
        var key = Substring(text)
        while key.first?.isWhitespace == true { key.removeFirst() }
        while key.last?.isWhitespace == true { key.removeLast() }
        guard !key.isEmpty else { throw Failure(.keyRefused, "\(source) holds an empty key") }
        guard key.utf8.count <= longest, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw Failure(
                .configuration,
                "\(source) holds no key: a key is one word of printable ASCII characters")
        }
        return Secret(String(key))
    }
}
