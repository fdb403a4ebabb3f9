/// Waits for what `start` will reply, once, from some thread: the one place where an async
/// caller meets the blocking kit. `start` must reply.
func reply<Value: Sendable>(
    of start: (_ reply: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    // The value goes through a lock of ours: Thread Sanitizer does not see the runtime's own
    // hand-over, and calls a reader that is quick a race.
    let slot = Monitor<Value?>(nil)
    await withCheckedContinuation { continuation in
        start { value in
            slot.withLock { $0 = value }
            continuation.resume()
        }
    }
    return slot.wait { $0 }
}
