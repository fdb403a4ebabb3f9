import Testing

@testable import FixtureOrigin
@testable import PosterFetch
@testable import PosterKit

/// An origin of a test's own with one poster, which stops when the test lets go of it.
final class Upstream: Sendable {
    static let key = "k-0f3a9c"
    static let path = "/t/p/w342/abc.jpg"
    /// Bytes that begin as a JPEG does. The stages before the decoder care for no more.
    static let poster: [UInt8] = [0xFF, 0xD8] + (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }

    let origin: Origin

    init(_ fault: Fault? = nil, times: Int? = nil) throws {
        origin = try Origin(key: Self.key)
        origin.put(Self.path, Self.poster, headers: [("ETag", "\"v1\"")])
        if let fault { origin.misbehave(at: Self.path, fault, times: times) }
    }

    deinit { origin.stop() }

    var url: String { origin.base + Self.path }

    func request(maxBytes: Int = 8 << 20, maxRedirects: Int = 3) -> FetchRequest {
        FetchRequest(
            url: url, accept: "image/*", maxBytes: maxBytes, maxRedirects: maxRedirects,
            timeout: .seconds(15))
    }

    /// Fetches the poster once. `isHasty`: with limits that a test need not wait for.
    func fetch(
        _ request: FetchRequest? = nil, isHasty: Bool = false
    ) throws(FetchError) -> FetchResponse {
        var limits = TransferLimits()
        if isHasty { (limits.firstByte, limits.stall) = (.milliseconds(200), .milliseconds(200)) }
        var worker = TransferWorker(userAgent: "onesheet-test", caFile: nil, limits: limits)
        return try worker.fetch(request ?? self.request())
    }

    static func worker() -> TransferWorker {
        TransferWorker(userAgent: "onesheet-test", caFile: nil)
    }
}

/// A fault and what a fetch of it comes to.
struct FaultCase: CustomTestStringConvertible, Sendable {
    let fault: Fault
    let reason: FetchError.Reason
    var testDescription: String { "\(fault) → \(reason)" }

    init(_ fault: Fault, _ reason: FetchError.Reason) {
        (self.fault, self.reason) = (fault, reason)
    }
}
