/// A reply that is given once, by whichever of several comes first: the work, or the alarm that ends
/// the wait for it.
package final class OnceReply<Value: Sendable>: Sendable {
    private let reply: Monitor<(@Sendable (Value) -> Void)?>

    package init(_ reply: @escaping @Sendable (Value) -> Void) { self.reply = Monitor(reply) }

    /// Whether it was given: then nothing waits for it any more.
    package var isGiven: Bool { reply.withLock { $0 == nil } }

    /// Gives `value` if nothing was given before.
    package func give(_ value: Value) { take()?(value) }

    /// The reply, for what gives it; `nil` when it was given or taken before.
    package func take() -> (@Sendable (Value) -> Void)? {
        reply.withLock { reply in
            defer { reply = nil }
            return reply
        }
    }
}
