import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One URL session that sends requests with a deadline and follows no redirect.
final class HTTPExchange: Sendable {
    private let session: URLSession
    private let timeout: Duration

    init(timeout: Duration) {
        self.timeout = timeout
        let configuration = URLSessionConfiguration.ephemeral
        // The API's answers are kept by the app or by Onesheet, for as long as their rules say.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        session = URLSession(
            configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// The longest body that is taken, in bytes; a list has about 20 KB.
    static let mostBytes = 4 << 20

    /// Sends a request and waits for the whole answer, whatever its status.
    func send(_ request: URLRequest) async throws(AmodbClientError) -> HTTPAnswer {
        do {
            // URLSession's own time-out starts again with every byte.
            let (body, response) = try await withThrowingTaskGroup(
                of: (Data, URLResponse)?.self
            ) { [session, timeout] group in
                group.addTask { try await session.data(for: request) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let answer = first else {
                    throw AmodbClientError.timedOut
                }
                return answer
            }
            guard let head = response as? HTTPURLResponse else {
                throw AmodbClientError.invalidAnswer("it is not HTTP")
            }
            guard body.count <= Self.mostBytes else {
                throw AmodbClientError.invalidAnswer("it is longer than \(Self.mostBytes) bytes")
            }
            return HTTPAnswer(head, body)
        } catch let error as AmodbClientError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch let error as URLError {
            throw Task.isCancelled ? .cancelled : Self.failure(error)
        } catch {
            throw .network(error.localizedDescription)
        }
    }

    private static func failure(_ error: URLError) -> AmodbClientError {
        error.code == .timedOut ? .timedOut : .network(error.localizedDescription)
    }
}

/// Refuses redirects: the answer is the redirect itself, and the key goes to no other host.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
