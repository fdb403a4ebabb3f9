import Amodb
import Glibc
import PosterObjectStore

/// The options for the object store that several nodes share.
enum ObjectStoreOptions {
    static let store = Option(
        name: "store", placeholder: "s3://BUCKET/PREFIX",
        help: "an S3-compatible store behind the disk, which several nodes may share",
        environment: ["ONESHEET_STORE"])
    static let endpoint = Option(
        name: "store-endpoint", placeholder: "URL",
        help: "where the store answers, the bucket being the first part of the path there",
        environment: ["ONESHEET_STORE_ENDPOINT"], standardNote: "AWS's own in the region")
    static let region = Option(
        name: "store-region", placeholder: "REGION", help: "the store's region",
        environment: ["ONESHEET_STORE_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"],
        standard: ObjectStoreSettings.usualRegion)
    static let credentials = Option(
        name: "store-credentials", placeholder: "FILE",
        help: "the store's keys, in the form of ~/.aws/credentials; without a file they are in "
            + "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
        environment: ["ONESHEET_STORE_CREDENTIALS"])
    static let deadline = Option(
        name: "store-deadline", placeholder: "MS",
        help: "how many milliseconds a look into the store may take",
        environment: ["ONESHEET_STORE_DEADLINE"], standard: "250")
    static let caFile = Option(
        name: "store-ca-file", placeholder: "FILE",
        help: "certificates in PEM to trust the store by, instead of the system's",
        environment: ["ONESHEET_STORE_CA_FILE"])

    static let all = [store, endpoint, region, credentials, deadline, caFile]

    /// The settings that the options and the environment say; `nil` where no store is named.
    static func settings(_ arguments: Arguments) throws(Failure) -> ObjectStoreSettings? {
        guard let location = try arguments.value(store, as: ObjectStoreLocation.self) else {
            return nil
        }
        let keys: ObjectStoreCredentials
        if let file = try credentialsFile(arguments) {
            keys = try read(file: file)
        } else {
            keys = try read(arguments.environment)
        }
        let region = try arguments.required(region, as: Region.self).name
        let endpoint = try arguments.value(endpoint, as: BaseURL.self)
        var settings: ObjectStoreSettings
        do throws(BaseURLError) {
            settings = try ObjectStoreSettings(
                location, keys, region: region, endpoint: endpoint)
        } catch { throw Failure(.configuration, error.description) }
        settings.deadline = .milliseconds(try arguments.number(deadline, in: 1...60_000))
        settings.caFile = try SharedOptions.certificates(arguments, caFile)
        return settings
    }

    /// The file that the keys come from; `nil` when they are in the environment.
    static func credentialsFile(_ arguments: Arguments) throws(Failure) -> String? {
        try arguments.value(credentials, as: String.self)
    }

    /// The keys that a file holds. Throws for one that cannot be read, or holds none.
    static func read(file: String) throws(Failure) -> ObjectStoreCredentials {
        do {
            let bytes = try readInput(file, limit: 1 << 20)
            return try ObjectStoreCredentials(file: String(decoding: bytes, as: UTF8.self))
        } catch let error as InputError {
            throw Failure(.configuration, "\(credentials.spelling): \(error.message)")
        } catch { throw Failure(.keyRefused, "\(credentials.spelling) \(quoted(file)): \(error)") }
    }

    private static func read(
        _ environment: Environment
    ) throws(Failure) -> ObjectStoreCredentials {
        do throws(ObjectStoreCredentialsError) {
            return try ObjectStoreCredentials(
                accessKey: environment["AWS_ACCESS_KEY_ID"],
                secretKey: environment["AWS_SECRET_ACCESS_KEY"],
                sessionToken: environment["AWS_SESSION_TOKEN"])
        } catch {
            let variable =
                switch error {
                case .noAccessKey: "set AWS_ACCESS_KEY_ID"
                case .noSecretKey: "set AWS_SECRET_ACCESS_KEY"
                case .characters: "AWS_ACCESS_KEY_ID and its kin are set"
                }
            throw Failure(
                .keyRefused,
                "\(store.spelling) needs keys: \(variable), or name a file with "
                    + "\(credentials.spelling): \(error)")
        }
    }

    /// Takes the secrets out of the environment, where they could be read from outside.
    static func eraseVariables() {
        for name in ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] {
            guard let text = getenv(name) else { continue }
            memset(text, 0, strlen(text))
            unsetenv(name)
        }
    }

    /// A region as signatures and host names have it.
    private struct Region: ArgumentValue {
        let name: String

        init(argument: String) throws(ValueError) {
            guard 1...64 ~= argument.utf8.count,
                argument.utf8.allSatisfy({
                    0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0
                        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                })
            else { throw ValueError("a region is one word, such as eu-west-1") }
            name = argument
        }
    }
}

extension ObjectStoreLocation: ArgumentValue {
    init(argument: String) throws(ValueError) {
        do throws(ObjectStoreLocationError) { try self.init(argument) } catch {
            throw ValueError(error.rule.rawValue)
        }
    }
}
