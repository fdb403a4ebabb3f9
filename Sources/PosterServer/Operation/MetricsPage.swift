import PosterKit

/// `/metrics` in Prometheus' text format, version 0.0.4. Every label set is closed: nothing from
/// outside becomes a label.
enum MetricsPage {
    /// All counts as they are now.
    static func reply(_ service: Service) -> Reply {
        var page = Exposition()
        let kit = service.store.metrics
        page.requests(service.requestMetrics)
        page.counter(
            "onesheet_cache_results_total", "Answers by where their picture came from.", "result",
            kit.cacheResults)
        page.counter(
            "onesheet_upstream_requests_total", "Upstream requests that ended well.", "outcome",
            kit.fetches)
        page.counter(
            "onesheet_upstream_errors_total", "Upstream requests that failed.", "reason",
            kit.fetchErrors)
        page.counter(
            "onesheet_upstream_notes_total", "What is worth knowing of upstream beside that.",
            "note", kit.fetchNotes)
        page.counter(
            "onesheet_decode_rejects_total", "Pictures that were refused.", "reason",
            kit.decodeRejects)
        page.counter(
            "onesheet_cache_bad_entries_total", "Entries that did not pass.", "why", kit.badEntries)
        page.counter(
            "onesheet_disk_errors_total", "Disk operations that failed.", "op", kit.diskErrors)
        page.load(service.store.load)
        let connections = service.connectionCounts.withLock { $0 }()
        page.gauge(
            "onesheet_http_connections", "Connections by what they are doing.",
            ClientConnection.Phase.allCases.map { ("{phase=\"\($0)\"}", connections[$0] ?? 0) })
        page.gauge(
            "onesheet_build_info", "The program's version.",
            [("{version=\"\(Program.version)\"}", 1)])
        return .text(200, "text/plain; version=0.0.4; charset=utf-8", page.text)
    }
}

/// A page of metrics as it grows.
private struct Exposition {
    private(set) var text = ""

    mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func counter<Label>(
        _ name: String, _ help: String, _ label: String, _ counter: Counter<Label>
    ) {
        head(name, "counter", help)
        for value in Label.allCases {
            text += "\(name){\(label)=\"\(value.rawValue)\"} \(counter[value])\n"
        }
    }

    mutating func gauge(_ name: String, _ help: String, _ values: [(String, Int)]) {
        head(name, "gauge", help)
        for (labels, value) in values { text += "\(name)\(labels) \(value)\n" }
    }

    mutating func requests(_ metrics: RequestMetrics) {
        head("onesheet_http_requests_total", "counter", "Requests by route and status.")
        for route in RequestMetrics.RouteName.allCases {
            for status in RequestMetrics.statuses + [0] {
                let count = metrics.requests(route, status: status)
                let shown = status == 0 ? "other" : String(status)
                // Only pairs that have occurred: most of the table never does.
                if count > 0 {
                    text +=
                        "onesheet_http_requests_total{route=\"\(route)\","
                        + "status=\"\(shown)\"} \(count)\n"
                }
            }
        }
        head("onesheet_http_response_bytes_total", "counter", "Bytes of bodies answered with.")
        text += "onesheet_http_response_bytes_total \(metrics.bytesOut)\n"
        counter(
            "onesheet_http_overdue_total", "Connections that took too long.", "phase",
            metrics.overdue)
    }

    mutating func load(_ load: PosterStore.Load) {
        gauge(
            "onesheet_memory_tier_bytes", "Bytes that the memory tier holds.",
            [("", load.memoryBytes)])
        gauge(
            "onesheet_memory_tier_entries", "Pictures that the memory tier holds.",
            [("", load.memoryEntries)])
        gauge(
            "onesheet_upstream_backoff_seconds",
            "Seconds for which the image host is not asked any more.", [("", load.backOffSeconds)])
        gauge(
            "onesheet_jobs_waiting", "Jobs that wait for a thread.",
            [
                ("{kind=\"fetch\"}", load.fetchesWaiting),
                ("{kind=\"picture\"}", load.picturesWaiting),
            ])
        gauge(
            "onesheet_jobs_running", "Jobs under way.",
            [
                ("{kind=\"fetch\"}", load.fetchesRunning),
                ("{kind=\"picture\"}", load.picturesRunning),
            ])
    }
}
