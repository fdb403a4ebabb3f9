import PosterBase
import PosterCache
import PosterFetch

/// Tries a store as a node would use it, and tells what is right and what is not.
public struct StoreCheck: Sendable {
    /// What is looked at, in this order.
    public enum Subject: String, CaseIterable, Sendable {
        /// Whether the store knows the keys.
        case credentials
        /// Whether the bucket is there and may be listed.
        case bucket
        /// Whether objects can be written, read and deleted below the prefix.
        case object
        /// Whether old objects go by themselves.
        case rule
        /// Whether the store's clock and ours agree.
        case clock
    }

    /// What was found of a subject.
    public enum Verdict: String, Sendable {
        /// It is right.
        case ok
        /// It is wrong.
        case bad
        /// It could not be found out; which is not wrong in itself.
        case unknown
    }

    /// One line of the result.
    public struct Finding: Sendable, Equatable {
        /// What was looked at.
        public let subject: Subject
        /// How it is.
        public let verdict: Verdict
        /// Half a line for people.
        public let detail: String
    }

    /// Clocks that differ by more make entries look as if they came from the future; at 15 minutes
    /// S3 refuses requests.
    static let clockTolerance = CacheEntry.clockTolerance

    private let settings: ObjectStoreSettings
    private let maxAge: Duration
    private let bucket: Bucket
    private let pause: @Sendable (Duration) -> Void
    private var findings: [Finding] = []
    /// How far ahead of ours the store's clock is, as its last answer said.
    private var lead: Duration?
    private var hasAnswered = false

    /// How long each request may take: an operator waits for the result.
    private static let limit = Duration.seconds(10)

    /// Looks at each subject. `maxAge`: how long objects are good. Blocks, some seconds at most.
    public static func run(_ settings: ObjectStoreSettings, maxAge: Duration) -> [Finding] {
        let stop = StopSignal()
        return run(settings, maxAge: maxAge) { _ = stop.wait(until: .now + $0) }
    }

    /// As the public one, with a way to wait of the caller's.
    static func run(
        _ settings: ObjectStoreSettings, maxAge: Duration,
        pause: @escaping @Sendable (Duration) -> Void
    ) -> [Finding] {
        var check = StoreCheck(settings, maxAge, pause)
        check.run()
        return check.findings.sorted { $0.subject.order < $1.subject.order }
    }

    private init(
        _ settings: ObjectStoreSettings, _ maxAge: Duration,
        _ pause: @escaping @Sendable (Duration) -> Void
    ) {
        (self.settings, self.maxAge, self.pause) = (settings, maxAge, pause)
        bucket = Bucket(
            settings, maxBytes: 1 << 20, stop: StopSignal(), metrics: ObjectStoreMetrics())
    }

    private mutating func run() {
        let isUsable = lookAtBucket()
        lookAtClock()
        guard isUsable else { return skip() }
        lookAtObject()
        lookAtRule()
    }

    private mutating func note(_ subject: Subject, _ verdict: Verdict, _ detail: String) {
        findings.append(Finding(subject: subject, verdict: verdict, detail: detail))
    }

    /// What was not looked at, because what it stands on is wrong.
    private mutating func skip() {
        for subject in Subject.allCases where !findings.contains(where: { $0.subject == subject }) {
            note(subject, .unknown, "not looked at")
        }
    }

    /// Sends a request, and looks at the answer's clock by the way.
    private mutating func send(
        _ method: FetchRequest.Method, _ key: String, query: String = "",
        headers: [(name: String, value: String)] = []
    ) throws(StoreError) -> FetchResponse {
        let response = try bucket.send(
            method, key, query: query, headers: headers, within: Self.limit)
        hasAnswered = true
        if let lead = StoreAnswer.lead(response, now: .now()) { self.lead = lead }
        return response
    }

    private mutating func lookAtBucket() -> Bool {
        let (name, who) = (settings.location.bucket, settings.credentials.accessKey)
        do throws(StoreError) {
            // A listing of one: to tell a missing object from one that must not be seen, a node
            // has to be allowed to list.
            let response = try send(.get, "", query: "max-keys=1&prefix=\(listed)")
            guard try StoreAnswer.judge(response, now: .now()) else {
                throw StoreError(.noBucket, "status \(response.status)")
            }
            note(.credentials, .ok, "the store knows \(who)")
            note(.bucket, .ok, "\(name) is there and may be listed")
            return true
        } catch {
            switch error.kind {
            case .noBucket:
                note(.credentials, .ok, "the store knows \(who)")
                note(.bucket, .bad, "\(name): \(error)")
            case .denied where error.detail.contains("AccessDenied"):
                note(.credentials, .unknown, "\(who): \(error)")
                note(.bucket, .bad, "\(name) may not be listed: the keys need s3:ListBucket")
            case .denied: note(.credentials, .bad, "\(who): \(error)")
            case .clockSkew: note(.credentials, .unknown, "\(who): \(error)")
            default: note(.bucket, .bad, "\(settings.endpoint)/\(name): \(error)")
            }
            return false
        }
    }

    /// The prefix as a query has it.
    private var listed: String {
        settings.location.prefix.split(separator: "/").joined(separator: "%2F")
    }

    private mutating func lookAtClock() {
        guard hasAnswered else { return }
        guard let lead else { return note(.clock, .unknown, "the store does not tell its time") }
        findings.append(Self.judge(lead))
    }

    /// Judges how far the store's clock is ahead of ours.
    static func judge(_ lead: Duration) -> Finding {
        let seconds = lead.components.seconds
        let differs = abs(seconds) > clockTolerance.components.seconds
        let side = seconds < 0 ? "behind" : "ahead of"
        return Finding(
            subject: .clock, verdict: differs ? .bad : .ok,
            detail: abs(seconds) <= 1
                ? "the store's and ours agree" : "the store's is \(abs(seconds)) s \(side) ours")
    }

    /// Below the prefix, and by a name that no poster has.
    private func probeKey() -> String {
        settings.location.key("check/\(String(UInt64.random(in: .min ... .max), radix: 36))")
    }

    private mutating func lookAtObject() {
        let (key, body) = (probeKey(), Array("onesheet store check\n".utf8))
        let began = ContinuousClock.now
        var step = "missing"
        do throws(StoreError) {
            guard try !StoreAnswer.judge(try send(.get, key), now: .now()) else {
                throw StoreError(.unexpected, "there is an object where none can be")
            }
            step = "written"
            let headers = [
                ("Content-Type", "text/plain"), ("x-amz-meta-onesheet-version", "%22check%22"),
            ]
            _ = try StoreAnswer.judge(try send(.put(body), key, headers: headers), now: .now())
            step = "read"
            let response = try send(.get, key)
            guard try StoreAnswer.judge(response, now: .now()), response.body == body,
                response.values(of: "x-amz-meta-onesheet-version") == ["%22check%22"]
            else { throw StoreError(.unexpected, "it is not what was written") }
            step = "deleted"
            _ = try StoreAnswer.judge(try send(.delete, key), now: .now())
        } catch {
            if step == "read" { do { _ = try send(.delete, key) } catch {} }
            return note(.object, .bad, "one could not be \(step): \(error)")
        }
        let milliseconds = began.duration(to: .now) / .milliseconds(1)
        note(
            .object, .ok,
            "written, read and deleted below \(settings.location), "
                + "in \(Int(milliseconds.rounded())) ms")
    }

    private mutating func lookAtRule() {
        do throws(StoreError) {
            let response = try send(.get, "", query: "lifecycle=")
            let text = String(decoding: response.body, as: UTF8.self)
            if StoreAnswer.code(response) == "NoSuchLifecycleConfiguration" {
                return note(.rule, .bad, "the bucket has none, so that old objects stay for ever")
            }
            if response.status == 403 || response.status == 401 {
                return note(.rule, .unknown, "it may not be seen with these keys")
            }
            guard response.status == 200, text.contains("<LifecycleConfiguration") else {
                return try lookAtDeleteAfter()
            }
            lookAtRules(LifecycleRule.all(in: text))
        } catch { note(.rule, .bad, "\(error)") }
    }

    private mutating func lookAtRules(_ rules: [LifecycleRule]) {
        let days = rules.filter { $0.covers(settings.location.key("")) }.compactMap(\.days).min()
        guard let days else {
            return note(.rule, .bad, "none ends what lies below \(settings.location)")
        }
        let isShort = .seconds(days * 86_400) < maxAge
        note(
            .rule, .ok,
            "objects end after \(days) days"
                + (isShort ? ", sooner than they have to: see --max-age" : ""))
    }

    /// OpenStack Swift has no rules, and answers as if there had been no question; it has an expiry for
    /// each object instead.
    private mutating func lookAtDeleteAfter() throws(StoreError) {
        let key = probeKey()
        let headers = [("Content-Type", "text/plain"), ("X-Delete-After", "1")]
        _ = try StoreAnswer.judge(
            try send(.put(Array("x".utf8)), key, headers: headers), now: .now())
        pause(.seconds(3))
        guard try StoreAnswer.judge(try send(.get, key), now: .now()) else {
            return note(.rule, .ok, "the store has no rules; it obeys X-Delete-After instead")
        }
        _ = try send(.delete, key)
        note(.rule, .bad, "the store has no rules, and does not obey X-Delete-After")
    }
}

extension StoreCheck.Subject {
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
