import PosterKit

/// Serves a ``PosterStore`` over HTTP.
public final class Server: Sendable {}
