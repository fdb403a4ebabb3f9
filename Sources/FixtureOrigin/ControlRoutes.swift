/// What scripts and the demo ask of the origin itself, all below `/_origin/`, counted nowhere.
struct ControlRoutes: Sendable {
    static let prefix = "/_origin/"

    let site: Site

    func answer(to request: Request) -> Answer {
        switch (request.method, request.path.dropFirst(Self.prefix.count)) {
        case ("GET", "requests"): requests()
        case ("GET", "log"): log()
        case ("GET", "faults"): faults()
        case ("PUT", "faults"): set(request.query)
        case ("DELETE", "faults"): clear(request.query)
        case ("PUT", "holds"): hold(request.query)
        case ("DELETE", "holds"): release(request.query)
        case ("POST", "reset"): reset()
        default: .json(404, "{\"error\":\"no such control\"}\n")
        }
    }

    /// An object of path and count.
    private func requests() -> Answer {
        let lines = site.record.counts.sorted { $0.key < $1.key }
            .map { "\(quoted($0.key)):\($0.value)" }
        return .json(200, "{\(lines.joined(separator: ",\n"))}\n")
    }

    /// One object a line, oldest first.
    private func log() -> Answer {
        let lines = site.record.log.map { entry in
            let headers = entry.headers.map { "[\(quoted($0.name)),\(quoted($0.value))]" }
            return "{\"ms\":\(entry.time.wholeMilliseconds),\"connection\":\(entry.connection),"
                + "\"method\":\(quoted(entry.method)),\"target\":\(quoted(entry.target)),"
                + "\"headers\":[\(headers.joined(separator: ","))]}\n"
        }
        return Answer(
            status: 200, headers: [("Content-Type", "application/x-ndjson")],
            body: Array(lines.joined().utf8))
    }

    /// Where a fault is set, and the names that may be.
    private func faults() -> Answer {
        let list = { (names: [String]) in names.map(quoted).joined(separator: ",") }
        return .json(
            200, "{\"set\":[\(list(site.rules.patterns))],\"names\":[\(list(Fault.names))]}\n")
    }

    private func set(_ query: Query) -> Answer {
        guard let path = query["path"] else { return missingPath }
        guard let fault = Fault(query) else {
            let complaint = quoted("fault is missing, unknown, or lacks a value")
            return .json(400, "{\"error\":\(complaint)}\n")
        }
        site.rules.set(fault, at: path, times: query["times"].flatMap { Int($0) })
        return Answer(status: 204)
    }

    private func clear(_ query: Query) -> Answer {
        if let path = query["path"] {
            site.rules.clear(path)
        } else {
            site.rules.clearAll()
        }
        return Answer(status: 204)
    }

    private func hold(_ query: Query) -> Answer {
        guard let path = query["path"] else { return missingPath }
        site.record.hold(path)
        return Answer(status: 204)
    }

    private func release(_ query: Query) -> Answer {
        guard let path = query["path"] else { return missingPath }
        site.record.release(path)
        return Answer(status: 204)
    }

    private func reset() -> Answer {
        site.reset()
        return Answer(status: 204)
    }

    private var missingPath: Answer { .json(400, "{\"error\":\"path is missing\"}\n") }
}
