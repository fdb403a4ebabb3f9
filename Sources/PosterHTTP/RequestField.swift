extension RequestHead {
    /// The fields that are kept.
    enum Field {
        case host, connection, contentLength, transferEncoding, expect
        case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range
        case authorization, accept, acceptLanguage, cookie, priority
        case forwardedFor, forwardedProto

        /// What a field is worth when it comes twice.
        enum Repetition {
            case list, unreadable, fault
        }

        /// Finds a field by its name, in any case; `name` is a token.
        init?(_ name: UnsafeBufferPointer<UInt8>) {
            func isNamed(_ text: StaticString) -> Bool {
                // Setting the bit makes letters lower case, and changes no other byte of a token
                // into one of these names' bytes.
                let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
                return zip(name, text).allSatisfy { $0 | 0x20 == $1 }
            }
            switch name.count {
            case 4 where isNamed("host"): self = .host
            case 5 where isNamed("range"): self = .range
            case 6 where isNamed("accept"): self = .accept
            case 6 where isNamed("cookie"): self = .cookie
            case 6 where isNamed("expect"): self = .expect
            case 8 where isNamed("if-match"): self = .ifMatch
            case 8 where isNamed("if-range"): self = .ifRange
            case 8 where isNamed("priority"): self = .priority
            case 10 where isNamed("connection"): self = .connection
            case 13 where isNamed("authorization"): self = .authorization
            case 13 where isNamed("if-none-match"): self = .ifNoneMatch
            case 14 where isNamed("content-length"): self = .contentLength
            case 15 where isNamed("accept-language"): self = .acceptLanguage
            case 15 where isNamed("x-forwarded-for"): self = .forwardedFor
            case 17 where isNamed("if-modified-since"): self = .ifModifiedSince
            case 17 where isNamed("transfer-encoding"): self = .transferEncoding
            case 17 where isNamed("x-forwarded-proto"): self = .forwardedProto
            case 19 where isNamed("if-unmodified-since"): self = .ifUnmodifiedSince
            default: return nil
            }
        }

        var repetition: Repetition {
            switch self {
            case .host, .contentLength, .transferEncoding: .fault
            case .connection, .expect, .ifMatch, .ifNoneMatch, .accept, .acceptLanguage,
                .forwardedFor, .forwardedProto, .priority:
                .list
            case .range, .cookie, .authorization, .ifModifiedSince, .ifUnmodifiedSince, .ifRange:
                .unreadable
            }
        }
    }

    // Not by key paths: this runs for each field of each request, and a key path costs ten times
    // a switch.
    subscript(field: Field) -> String? {
        get {
            switch field {
            case .host: host
            case .connection: connection
            case .range: range
            case .expect: expect
            case .cookie: cookie
            case .authorization: authorization
            case .contentLength: contentLength
            case .transferEncoding: transferEncoding
            case .ifMatch: ifMatch
            case .ifNoneMatch: ifNoneMatch
            case .ifModifiedSince: ifModifiedSince
            case .ifUnmodifiedSince: ifUnmodifiedSince
            case .ifRange: ifRange
            case .accept: accept
            case .acceptLanguage: acceptLanguage
            case .forwardedFor: forwardedFor
            case .forwardedProto: forwardedProto
            case .priority: priority
            }
        }
        set {
            switch field {
            case .host: host = newValue
            case .connection: connection = newValue
            case .range: range = newValue
            case .expect: expect = newValue
            case .cookie: cookie = newValue
            case .authorization: authorization = newValue
            case .contentLength: contentLength = newValue
            case .transferEncoding: transferEncoding = newValue
            case .ifMatch: ifMatch = newValue
            case .ifNoneMatch: ifNoneMatch = newValue
            case .ifModifiedSince: ifModifiedSince = newValue
            case .ifUnmodifiedSince: ifUnmodifiedSince = newValue
            case .ifRange: ifRange = newValue
            case .accept: accept = newValue
            case .acceptLanguage: acceptLanguage = newValue
            case .forwardedFor: forwardedFor = newValue
            case .forwardedProto: forwardedProto = newValue
            case .priority: priority = newValue
            }
        }
    }
}
