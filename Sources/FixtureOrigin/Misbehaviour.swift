/// Writes one answer, bent by a fault, to the socket.
struct Misbehaviour {
    /// What is to become of the connection.
    enum Ending {
        case keepOpen
        case close
        case reset
    }

    /// The most that an endless head or body sends.
    static let endlessBytes = 64 << 20
    /// The longest silence, and the longest drip.
    static let endlessTime = Duration.seconds(300)

    let request: Request
    /// The whole answer: conditions in the request were not looked at.
    let answer: Answer
    let socket: Socket

    func perform(_ fault: Fault) -> Ending {
        if let altered = altered(by: fault) {
            return socket.send(altered.bytes(for: request)) ? .keepOpen : .close
        }
        switch fault {
        case .delay(let duration, let next):
            return socket.pause(duration) ? perform(next) : .close
        case .hang(let count):
            return hang(after: count)
        case .drip(let count, let pause, let isEndless):
            return drip(max(count, 1), every: pause, endless: isEndless)
        case .refused:
            return .reset
        case .short, .cut, .http10, .chunked, .brokenChunks, .reset:
            return end(by: fault)
        case .endless, .oversized, .excess, .contentLength, .lengthAndChunks:
            return misframe(fault)
        case .headerBomb(let bomb):
            return send(bomb)
        case .notHTTP(let kind):
            return send(kind)
        case .informational(let status, let count):
            return send(status, times: count)
        case .normal, .status, .redirect, .headers, .contentType, .html, .empty, .partial,
            .ignoresConditional, .encoding, .gzip, .gzipBomb, .sequence, .flapping:
            // Well-formed ones were sent above, and a turn is never one of several.
            return .close
        }
    }

    /// The answer under a fault that leaves it well formed; nil for any other fault.
    private func altered(by fault: Fault) -> Answer? {
        switch fault {
        case .normal:
            return answer.revalidated(for: request)
        case .status(let status, let headers, let body):
            let text = "the fault asked for at this path: status \(status)\n"
            return Answer(
                status: status, headers: [("Content-Type", "text/plain")],
                body: body ?? Array(text.utf8)
            ).replacing(headers)
        case .redirect(let status, let location):
            return Answer(status: status, headers: [("Location", location)])
        case .headers(let headers):
            return answer.replacing(headers).revalidated(for: request)
        case .contentType(let type?):
            return answer.replacing([("Content-Type", type)])
        case .contentType(nil):
            var answer = answer
            answer.headers.removeAll { $0.name.lowercased() == "content-type" }
            return answer
        case .html:
            let page = "<!doctype html><title>Sign in</title><p>Sign in to use this network.</p>\n"
            return Answer(
                status: 200, headers: [("Content-Type", "image/jpeg")], body: Array(page.utf8))
        case .empty:
            return Answer(status: 200, headers: answer.headers)
        case .partial:
            let half = body(answer.body.count / 2)
            let range = "bytes 0-\(half.count - 1)/\(answer.body.count)"
            return Answer(
                status: 206, headers: answer.headers + [("Content-Range", range)], body: half)
        case .ignoresConditional:
            return answer
        case .encoding(let name):
            return answer.replacing([("Content-Encoding", name)])
        case .gzip:
            return encoded(Gzip.stored(answer.body))
        case .gzipBomb(let bytes):
            return encoded(Gzip.bomb(inflatedBytes: min(bytes, Self.endlessBytes)))
        default:
            return nil
        }
    }

    private func encoded(_ body: [UInt8]) -> Answer {
        Answer(
            status: 200, headers: answer.headers + [("Content-Encoding", "gzip")], body: body)
    }

    private func hang(after count: Int?) -> Ending {
        if let count {
            let head = answer.head(.length(answer.body.count))
            guard socket.send(head + body(count)) else { return .close }
        }
        socket.waitForPeerToLeave(atMost: Self.endlessTime)
        return .close
    }

    private func drip(_ count: Int, every pause: Duration, endless: Bool) -> Ending {
        let head = answer.head(endless ? .untilClose : .length(answer.body.count))
        guard socket.send(head), !answer.body.isEmpty else { return endless ? .close : .keepOpen }
        let start = ContinuousClock.now
        repeat {
            var position = 0
            while position < answer.body.count {
                let end = min(position + count, answer.body.count)
                guard socket.send(Array(answer.body[position..<end])), socket.pause(pause),
                    ContinuousClock.now - start < Self.endlessTime
                else { return .close }
                position = end
            }
        } while endless
        return .keepOpen
    }

    /// The first bytes of the body.
    func body(_ count: Int) -> [UInt8] { Array(answer.body.prefix(max(count, 0))) }

    func send(_ head: [UInt8], _ body: [UInt8], _ ending: Ending) -> Ending {
        socket.send(head + body) ? ending : .close
    }
}
