import Amodb

/// One line a request, for operators who ask for it.
public struct AccessLog: Sendable {
    private let write: @Sendable (String) -> Void

    /// Sends each line, without its newline, to `write`, which is called on the server's threads.
    public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func write(_ exchange: Exchange, status: Int) {
        write(
            "method=\(Quoted(exchange.method)) target=\(Quoted(exchange.target)) status=\(status) "
                + "bytes=\(exchange.answered.length) route=\(exchange.route) "
                + "ms=\(exchange.elapsed)")
    }
}
