/// How long a transfer may take in each of its phases, and how much head an answer may have.
///
/// The longest that the whole may take belongs to the ``FetchRequest``.
package struct TransferLimits: Sendable {
    /// Name lookup, connecting and the TLS handshake together.
    var connect: Duration = .seconds(3)
    /// From the request sent to the first line of an answer.
    package var firstByte: Duration = .seconds(5)
    /// Over this long an answer that is under way must keep up ``leastBytesPerSecond``.
    package var stall: Duration = .seconds(5)
    /// Slower than this is stalled.
    var leastBytesPerSecond = 1024
    /// Header lines of an answer, those of interim answers (1xx) and trailers included.
    var headLines = 256
    /// Bytes of the same.
    var headBytes = 64 << 10
    /// Body bytes read of an answer that is no success: only its status counts.
    var errorBodyBytes = 64 << 10

    package init() {}
}
