import PosterBase
import PosterCache
import PosterHTTP
import PosterKit
import PosterObjectStore

/// `/metrics` in Prometheus' text format, version 0.0.4. Every label set is closed: nothing from
/// outside becomes a label.
enum MetricsPage {
    /// All counts as they are now.
    static func reply(_ service: Service) -> Reply {
        var page = Exposition()
        page.requests(service.requestMetrics)
        page.connections(
            service.connectionCounts.withLock { $0 }(), limit: service.connectionLimit)
        page.upstream(service.store.metrics)
        page.pictures(service.store.metrics)
        page.disk(service.store.metrics)
        page.holdings(service.store.holdings())
        let load = service.store.load
        page.load(load, blockingPool: service.blockingLoad)
        page.healthIssues(service.healthIssues)
        page.process(.now(), since: service.began)
        if let shared = service.store.objectStore, let load = load.store {
            page.store(shared.metrics, load)
        }
        page.family("onesheet_build_info", "gauge", "The program's version.")
        page.sample("onesheet_build_info", ["version": Program.version], "1")
        return .text(200, "text/plain; version=0.0.4; charset=utf-8", page.text)
    }
}

extension Exposition {
    fileprivate mutating func requests(_ metrics: RequestMetrics) {
        let name = "onesheet_http_requests_total"
        family(name, "counter", "Requests by route and status.")
        for route in RequestMetrics.RouteName.allCases {
            for status in RequestMetrics.statuses + [0] {
                let count = metrics.requests(route, status: status)
                let shown = status == 0 ? "other" : String(status)
                // Only pairs that have occurred: most of the table never does.
                if count > 0 {
                    sample(name, ["route": "\(route)", "status": shown], String(count))
                }
            }
        }
        counter(
            "onesheet_http_response_bytes_total", "Bytes of bodies answered with.",
            metrics.bytesOut)
        counter(
            "onesheet_http_rejects_total", "Requests and connections refused.", "reason",
            metrics.rejects)
        counter(
            "onesheet_http_overdue_total", "Connections that took too long.", "phase",
            metrics.overdue)
    }

    fileprivate mutating func connections(
        _ counts: [ConnectionPhase: Int], limit: Int
    ) {
        let name = "onesheet_http_connections"
        family(name, "gauge", "Connections by what they are doing.")
        for phase in ConnectionPhase.allCases {
            sample(name, ["phase": "\(phase)"], String(counts[phase] ?? 0))
        }
        gauge(
            "onesheet_http_connections_limit", "How many there may be; more wait in the backlog.",
            limit)
    }

    fileprivate mutating func upstream(_ metrics: Metrics) {
        counter(
            "onesheet_upstream_requests_total", "Poster requests that ended well.", "outcome",
            metrics.fetch.successes)
        counter(
            "onesheet_upstream_errors_total", "Upstream requests that failed.", "reason",
            metrics.fetch.errors)
        counter(
            "onesheet_upstream_notes_total", "What is worth knowing of upstream beside that.",
            "note", metrics.fetch.notes)
        histogram(
            "onesheet_upstream_request_seconds", "How long exchanges with upstream took.",
            "ending", metrics.fetch.times)
        gauge(
            "onesheet_upstream_requests_in_flight", "Exchanges with upstream under way.",
            metrics.fetch.inFlight.value)
        counter(
            "onesheet_upstream_response_bytes_total", "Bytes of bodies that came from upstream.",
            metrics.fetch.bodyBytes.value)
    }

    fileprivate mutating func pictures(_ metrics: Metrics) {
        counter(
            "onesheet_cache_results_total", "Answers by where their picture came from.", "result",
            metrics.cacheResults)
        histogram(
            "onesheet_picture_work_seconds", "How long pixel threads worked on a job.", "work",
            metrics.images.pixelTimes)
        counter(
            "onesheet_jpeg_fast_decodes_total", "JPEGs that the fast decoder read.",
            metrics.images.fastJPEGDecodes.value)
        counter(
            "onesheet_jpeg_fallbacks_total",
            "JPEGs that were left to libjpeg-turbo alone, which takes longer.", "reason",
            metrics.images.jpegFallbacks)
        counter(
            "onesheet_decode_rejects_total", "Pictures that were refused.", "reason",
            metrics.images.decodeRejects)
    }

    fileprivate mutating func disk(_ metrics: Metrics) {
        counter(
            "onesheet_cache_bad_entries_total", "Entries that did not pass.", "why",
            metrics.cache.badEntries)
        let name = "onesheet_disk_errors_total"
        family(name, "counter", "Disk operations that failed, by errno.")
        for operation in FileError.Operation.allCases {
            for errorName in DiskErrorCounter.ErrorName.allCases {
                let count = metrics.cache.diskErrors[operation, errorName]
                if count > 0 {
                    sample(
                        name, ["op": operation.rawValue, "errno": errorName.rawValue],
                        String(count))
                }
            }
        }
    }

    fileprivate mutating func holdings(_ count: CacheCensus.Count?) {
        if let count {
            let kinds: KeyValuePairs = [
                "poster": count.posters, "thumbnail": count.thumbnails, "list": count.lists,
                "temporary": count.temporary,
            ]
            family("onesheet_cache_entries", "gauge", "Files in the cache when last counted.")
            for (kind, holding) in kinds {
                sample("onesheet_cache_entries", ["kind": kind], String(holding.entries))
            }
            family("onesheet_cache_bytes", "gauge", "Their bytes.")
            for (kind, holding) in kinds {
                sample("onesheet_cache_bytes", ["kind": kind], String(holding.bytes))
            }
        }
        gauge(
            "onesheet_cache_counted_timestamp_seconds",
            "When the cache was last counted, in seconds since 1970; 0: not yet.",
            Int(count?.taken.seconds ?? 0))
    }

    /// Only where there is a shared store.
    fileprivate mutating func store(_ metrics: ObjectStoreMetrics, _ load: PosterStore.Load.Store) {
        let name = "onesheet_store_requests_total"
        family(name, "counter", "What the shared store was asked for, by outcome.")
        for outcome in ObjectStoreMetrics.Read.allCases {
            sample(
                name, ["op": "read", "outcome": outcome.rawValue],
                String(metrics.reads[outcome]))
        }
        for outcome in ObjectStoreMetrics.Write.allCases {
            sample(
                name, ["op": "change", "outcome": outcome.rawValue],
                String(metrics.writes[outcome]))
        }
        counter(
            "onesheet_store_errors_total", "Requests to the shared store that failed.", "reason",
            metrics.errors)
        counter(
            "onesheet_store_dropped_total", "What was not written to the shared store.", "why",
            metrics.drops)
        histogram(
            "onesheet_store_request_seconds", "How long requests to the shared store took.", "op",
            metrics.times)
        gauge(
            "onesheet_store_requests_in_flight", "Requests to the shared store under way.",
            metrics.inFlight.value)
        gauge(
            "onesheet_store_writes_waiting", "Objects to be written to the shared store.",
            load.waiting)
        gauge("onesheet_store_writes_waiting_bytes", "Their bytes.", load.waitingBytes)
        gauge(
            "onesheet_store_pause_seconds",
            "Seconds for which the shared store is not asked any more.", load.pauseSeconds)
    }

    fileprivate mutating func load(
        _ load: PosterStore.Load, blockingPool: (waiting: Int, running: Int)
    ) {
        gauge(
            "onesheet_memory_tier_bytes", "Bytes that the memory tier holds.", load.memoryBytes)
        gauge(
            "onesheet_memory_tier_entries", "Pictures that the memory tier holds.",
            load.memoryEntries)
        gauge(
            "onesheet_upstream_backoff_seconds",
            "Seconds for which the image host is not asked any more.", load.backOffSeconds)
        gauge(
            "onesheet_jobs_waiting", "Jobs that wait for a thread.", "kind",
            [
                "fetch": load.fetchesWaiting, "picture": load.picturesWaiting,
                "write": load.writesWaiting, "blocking": blockingPool.waiting,
            ])
        gauge(
            "onesheet_jobs_running", "Jobs under way.", "kind",
            [
                "fetch": load.fetchesRunning, "picture": load.picturesRunning,
                "write": load.writesRunning, "blocking": blockingPool.running,
            ])
        gauge(
            "onesheet_jobs_waiting_limit", "How many jobs of a class may wait, or less.",
            load.queueLength)
        classes(
            "onesheet_class_jobs_waiting", "gauge", "Fetches and pictures that wait, by class.",
            load, \.waiting)
        classes(
            "onesheet_class_jobs_running", "gauge", "Fetches and pictures under way, by class.",
            load, \.running)
        classes(
            "onesheet_class_jobs_refused_total", "counter",
            "Fetches and pictures refused because too many of their class waited.", load,
            \.refused)
    }

    private mutating func classes(
        _ name: String, _ type: String, _ help: String, _ load: PosterStore.Load,
        _ count: (PosterStore.Load.Class) -> Int
    ) {
        family(name, type, help)
        for (kind, classes) in [
            ("fetch", load.fetchClasses), ("picture", load.pictureClasses),
        ] {
            for jobs in classes {
                sample(name, ["kind": kind, "class": jobs.jobClass.name], String(count(jobs)))
            }
        }
    }

    fileprivate mutating func healthIssues(_ issues: [HealthIssue]) {
        let name = "onesheet_trouble"
        family(name, "gauge", "Why it is not ready, as /readyz says: 1 for each such reason.")
        for code in HealthIssue.Code.allCases {
            let isThere = issues.contains { $0.code == code }
            sample(name, ["reason": code.rawValue], isThere ? "1" : "0")
        }
    }

    /// Under the names that Prometheus' own clients use.
    fileprivate mutating func process(_ reading: ProcessReading?, since began: Timestamp) {
        gauge(
            "process_start_time_seconds", "When it started, in seconds since 1970.",
            Int(began.seconds))
        guard let reading else { return }
        family("process_cpu_seconds_total", "counter", "Processor time, of all threads.")
        sample("process_cpu_seconds_total", [:], "\(reading.cpuSeconds)")
        gauge("process_resident_memory_bytes", "Memory.", reading.residentBytes)
        gauge("process_threads", "Threads.", reading.threads)
        if let open = reading.openFiles {
            gauge("process_open_fds", "Files and sockets that are open.", open)
        }
        gauge("process_max_fds", "How many may be.", reading.fileLimit)
    }
}
