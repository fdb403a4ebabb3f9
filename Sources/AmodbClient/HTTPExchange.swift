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
                group.addTask { try await DataTask(session, request).answer() }
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

/// One task of a session, as an asynchronous call.
///
/// `URLSession.data(for:)` is not used, because in FoundationNetworking of Swift 6.3 it can block for
/// ever: it cancels its task while it holds the lock of the caller's task, and waits there for a queue
/// that may itself be waiting for this lock to hand the answer over.
private final class DataTask: @unchecked Sendable {
    private let session: URLSession
    private let request: URLRequest
    private let lock = NSLock()
    private var task: URLSessionDataTask?
    private var isCancelled = false

    init(_ session: URLSession, _ request: URLRequest) {
        (self.session, self.request) = (session, request)
    }

    /// Sends the request and waits for the whole answer.
    func answer() async throws -> (Data, URLResponse) {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            // On another thread, where no lock of the runtime is held.
            DispatchQueue.global().async { self.cancel() }
        }
    }

    private func start(_ continuation: CheckedContinuation<(Data, URLResponse), any Error>) {
        let task = session.dataTask(with: request) { body, response, error in
            if let body, let response {
                continuation.resume(returning: (body, response))
            } else {
                continuation.resume(throwing: error ?? URLError(.unknown))
            }
        }
        let isCancelled = lock.withLock {
            self.task = task
            return self.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
    }

    private func cancel() {
        let task = lock.withLock {
            isCancelled = true
            return self.task
        }
        task?.cancel()
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
