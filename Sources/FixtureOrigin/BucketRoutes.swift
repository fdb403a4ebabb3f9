import Glibc

/// A bucket of an S3-like object store, path-style: single objects with their metadata, and the
/// errors that a client must tell apart. A signature's form is checked, and whose it says to be;
/// what it was computed from is not.
struct BucketRoutes: Sendable {
    /// The one key that it knows.
    static let accessKey = "fixture-access"
    /// How far a request's clock may be off, in seconds, as in S3.
    static let clockTolerance = 900

    let name: String
    let content: ContentStore

    /// The answer to what is the bucket's; nil for any other request.
    func answer(to request: Request) -> Answer? {
        let path = request.path
        guard path == "/\(name)" || path.hasPrefix("/\(name)/") else { return nil }
        if let refusal = refusal(of: request) { return refusal }
        let isObject = path.utf8.count > name.utf8.count + 2
        switch (request.method, isObject) {
        case ("PUT", true):
            let kept = request.headers.filter {
                let name = $0.name.lowercased()
                return name == "content-type" || name.hasPrefix("x-amz-meta-")
            }
            content.put(request.body, at: path, headers: kept)
            return Answer(status: 200)
        case ("DELETE", true):
            content.remove(at: path)
            return Answer(status: 204)
        case ("GET", false) where request.query["lifecycle"] == nil:
            return Answer(
                status: 200, headers: [("Content-Type", "application/xml")],
                body: Array("<ListBucketResult><Name>\(name)</Name></ListBucketResult>".utf8))
        case ("GET", _), ("HEAD", _):
            let resource = isObject ? path : request.target
            guard case .some(.some(let item)) = content.change(at: resource) else {
                return .storeError(404, isObject ? "NoSuchKey" : "NoSuchLifecycleConfiguration")
            }
            return Answer(status: 200, headers: item.headers, body: item.bytes)
        default: return .storeError(405, "MethodNotAllowed")
        }
    }

    private func refusal(of request: Request) -> Answer? {
        guard let signature = Signature(request.header("authorization") ?? "") else {
            return .storeError(403, "AccessDenied")
        }
        guard signature.accessKey == Self.accessKey else {
            return .storeError(403, "InvalidAccessKeyId")
        }
        // What is not signed could be altered on the way.
        let amazon = request.headers.map { $0.name.lowercased() }.filter { $0.hasPrefix("x-amz-") }
        guard signature.scope == "us-east-1/s3/aws4_request",
            Set(["host", "x-amz-content-sha256", "x-amz-date"] + amazon)
                .isSubset(of: signature.headers)
        else { return .storeError(403, "SignatureDoesNotMatch") }
        guard let date = request.header("x-amz-date").flatMap(Self.seconds),
            abs(date - HTTPDate.now.secondsSince1970) <= Self.clockTolerance
        else { return .storeError(403, "RequestTimeTooSkewed") }
        return nil
    }

    /// Reads `20261130T081320Z`.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.filter(\.isNumber).map { Int32(String($0)) ?? 0 }
        guard digits.count == 14, text.utf8.count == 16 else { return nil }
        func number(_ range: Range<Int>) -> Int32 { digits[range].reduce(0) { $0 * 10 + $1 } }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            number(0..<4) - 1900, number(4..<6) - 1, number(6..<8)
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (
            number(8..<10), number(10..<12), number(12..<14)
        )
        return timegm(&parts)
    }
}

/// The parts of an `Authorization` header of AWS Signature Version 4.
private struct Signature {
    let accessKey: String
    /// Region, service and `aws4_request`.
    let scope: String
    let headers: [String]

    init?(_ text: String) {
        guard text.hasPrefix("AWS4-HMAC-SHA256 ") else { return nil }
        var fields: [String: String] = [:]
        for part in text.dropFirst("AWS4-HMAC-SHA256 ".count).split(separator: ",") {
            let pair = String(part).trimmingBlanks().split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            fields[String(pair[0])] = String(pair[1])
        }
        guard let credential = fields["Credential"]?.split(separator: "/", maxSplits: 2),
            credential.count == 3, credential[1].utf8.count == 8,
            let signed = fields["SignedHeaders"], let code = fields["Signature"],
            code.utf8.count == 64, code.allSatisfy({ $0.isHexDigit && !$0.isUppercase })
        else { return nil }
        accessKey = String(credential[0])
        scope = String(credential[2])
        headers = signed.split(separator: ";").map(String.init)
    }
}

extension Fault {
    /// An error of an object store.
    static func storeError(_ status: Int, _ code: String) -> Fault {
        let answer = Answer.storeError(status, code)
        return .status(status, headers: answer.headers, body: answer.body)
    }
}

extension Answer {
    /// An error as S3 tells it.
    static func storeError(_ status: Int, _ code: String) -> Answer {
        let text = "<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>\(code)</Code></Error>"
        return Answer(
            status: status, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}
