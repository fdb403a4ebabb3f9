import CCurl

/// What one exchange with upstream has brought so far: the context of libcurl's callbacks.
///
/// The callbacks run on the thread that performs the transfer, inside `curl_multi_perform`, so
/// there is nothing to lock. A refusal is kept in ``refusal`` and ends the transfer.
final class Transfer {
    private static let reservedBytes = 128 << 10

    private let maxBytes: Int
    private let limits: TransferLimits
    private let stop: StopSignal
    private let permit: Permit?
    private let deadline: ContinuousClock.Instant
    private var stall: StallDetector?
    private var requested: ContinuousClock.Instant?
    /// A host that has not answered for so long after a request was sent has it all the same.
    private static let longestWay = Duration.seconds(1)

    /// When the clock was last looked at.
    private var lastLook: ContinuousClock.Instant?
    /// The longest time between two looks: they are 50 ms apart, and a busy machine makes it a
    /// second. A longer one is that of a process that was stopped.
    private static let longestTurn = Duration.seconds(2)

    private(set) var head: ResponseHead
    private(set) var body: [UInt8] = []
    /// Why the transfer was ended from this side.
    private(set) var refusal: FetchError?

    /// `permit` is told when the request goes out and when it has arrived; `deadline` ends its
    /// waits.
    init(
        maxBytes: Int, limits: TransferLimits, stop: StopSignal, permit: Permit? = nil,
        deadline: ContinuousClock.Instant = .now
    ) {
        (self.maxBytes, self.limits, self.stop) = (maxBytes, limits, stop)
        (self.permit, self.deadline) = (permit, deadline)
        head = ResponseHead(limits: limits)
    }

    /// Whether a connection was there and the request went out.
    var wasRequested: Bool { requested != nil }

    /// The request goes out. With a reused connection that turned out to be dead, it does so twice.
    /// `false`: it must not.
    fileprivate func noteRequest() -> Bool {
        if let permit, !permit.noteSending(by: deadline) {
            refusal = FetchError(.totalTimeout, "its turn to be sent is over")
            return false
        }
        requested = .now
        stall = nil
        return true
    }

    fileprivate func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        if head.byteCount == 0 { permit?.noteArrival() }
        do {
            let wasComplete = head.isComplete
            try head.take(line)
            if head.isComplete, !wasComplete { try judgeHead() }
            return true
        } catch {
            refusal = error
            return false
        }
    }

    private func judgeHead() throws(FetchError) {
        guard head.isSuccess else { return }
        if let coding = head.foreignCoding { throw FetchError(.encoded, coding) }
        let announced = head.contentLength ?? 0
        guard announced <= maxBytes else {
            throw FetchError(.tooLarge, "\(announced) bytes announced; the limit is \(maxBytes)")
        }
        // The length is upstream's claim, so memory is reserved for a usual poster at most.
        body.reserveCapacity(min(announced, Self.reservedBytes))
    }

    fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let limit = head.isSuccess ? maxBytes : limits.errorBodyBytes
        guard bytes.count <= limit - body.count else {
            refusal = FetchError(.tooLarge, "over \(limit) bytes")
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// How long this process has stood still since the transfer began, in all.
    private(set) var halted = Duration.zero

    /// Looks at the clock after a wait. What is over the wait is no time of upstream's.
    func noteTurn(now: ContinuousClock.Instant) {
        defer { lastLook = now }
        guard let lastLook, now - lastLook > Self.longestTurn else { return }
        halted += now - lastLook
        requested = requested.map { $0 + (now - lastLook) }
        stall = nil
    }

    /// Looks at the clock. `false` when the answer is too slow, or no caller wants it any more.
    func tick(now: ContinuousClock.Instant) -> Bool {
        guard !stop.isRaised else {
            refusal = FetchError(.closed, "the store is closing")
            return false
        }
        guard let requested else { return true }
        guard head.byteCount > 0 else {
            if now - requested >= Self.longestWay { permit?.noteArrival() }
            guard now - requested >= limits.firstByte else { return true }
            refusal = FetchError(.firstByteTimeout, "no answer in \(limits.firstByte)")
            return false
        }
        let seconds = limits.stall.components.seconds
        let least = limits.leastBytesPerSecond * max(1, Int(seconds))
        var stall = stall ?? StallDetector(from: now, window: limits.stall, leastBytes: least)
        defer { self.stall = stall }
        let bytes = head.byteCount + body.count
        guard stall.isStalled(now: now, bytes: bytes) else { return true }
        let slow = "under \(limits.leastBytesPerSecond) B/s for \(limits.stall)"
        refusal = FetchError(.stalled, "\(slow), at byte \(bytes)")
        return false
    }
}

extension Transfer {
    /// Points a handle's callbacks at this transfer, which must outlive what the handle performs.
    func attach(to handle: UnsafeMutableRawPointer, _ curl: onesheet_curl) -> CURLcode {
        onesheet_curl_set_callbacks(
            curl, handle, Unmanaged.passUnretained(self).toOpaque(), takeHeaderBytes, takeBodyBytes,
            takeRequest)
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func takeHeaderBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeHeader(line) == true ? line.count : -1
}

private func takeBodyBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeBody(piece) == true ? piece.count : -1
}

private func takeRequest(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
    _ own: UnsafeMutablePointer<CChar>?, _ peerPort: Int32, _ ownPort: Int32
) -> Int32 {
    transfer(context)?.noteRequest() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
