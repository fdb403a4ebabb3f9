import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterKit
@testable import PosterObjectStore
@testable import PosterServer

/// What operators are given in `deploy/` and `docs/`, beside what the server says.
@Suite struct OperatorFilesTests {
    private static let root = URL(filePath: TestSite.fixtures).deletingLastPathComponent().path
    private static let rules = "deploy/alerts.yml"
    private static let dashboard = "deploy/grafana-dashboard.json"

    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
    }

    /// The page of a server with a shared store, after answers of many kinds and a refused write.
    private static func page() throws -> ExpositionReader {
        let store = try ObjectStoreSettings(
            try ObjectStoreLocation("s3://nobody/there"),
            ObjectStoreCredentials(accessKey: "key", secretKey: Secret("secret")),
            endpoint: try BaseURL("http://127.0.0.1:1"))
        let site = try TestSite({ _ in }, store: { $0.objectStore = store })
        for target in ["/t/p/w342\(ServingTests.poster.path)?w=60", "/nowhere", "/"] {
            _ = try site.get(target)
        }
        site.store.metrics.cache.diskErrors.add(FileError(.write, "x", code: ENOSPC))
        _ = try site.get("/metrics")
        site.store.census.waitForCount()
        return try ExpositionReader(try site.get("/metrics").text)
    }

    /// Labels that the scraper adds, and the one that its functions know.
    private static let labelsOfOthers: Set<String> = ["instance", "job"]

    /// The values that a label may have; `nil` where the page shows all of them.
    private static func values(of label: String, in family: String) -> [String]? {
        switch (family, label) {
        case (_, "route"): RequestMetrics.RouteName.allCases.map { "\($0)" }
        case (_, "status"): RequestMetrics.statuses.map(String.init) + ["other"]
        case ("onesheet_disk_errors_total", "op"): FileError.Operation.allCases.map(\.rawValue)
        case (_, "errno"): DiskErrorCounter.ErrorName.allCases.map(\.rawValue)
        default: nil
        }
    }

    /// The family that a series' name belongs to.
    private static func family(of name: String, in page: ExpositionReader)
        -> ExpositionReader.Family?
    {
        if let family = page.families[name] { return family }
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
            let family = page.families[String(name.dropLast(suffix.count))]
            if family?.type == "histogram" { return family }
        }
        return nil
    }

    @Test(arguments: [rules, dashboard])
    func `every metric and label that operators' files name is the server's`(file: String) throws {
        let page = try Self.page()
        let labels = Set(page.families.values.flatMap(\.labels.keys)).union(Self.labelsOfOthers)
        var seen = 0
        let text = try Self.text(file).replacingOccurrences(of: "\\\"", with: "\"")
        let metric = #/\b(?<name>(?:onesheet|process)_\w+)(?:\{(?<matchers>[^}]*)\})?/#
        for match in text.matches(of: metric) {
            let name = String(match.name)
            let family = Self.family(of: name, in: page)
            guard let family else {
                #expect(Bool(false), "\(file): there is no \(name)")
                continue
            }
            seen += 1
            for matcher in (match.matchers ?? "").matches(of: #/(\w+)(!?[=~]{1,2})"([^"]*)"/#) {
                let (label, sign, value) = (String(matcher.1), matcher.2, String(matcher.3))
                if Self.labelsOfOthers.contains(label) { continue }
                let known = Self.values(of: label, in: name) ?? Array(family.labels[label] ?? [])
                let wanted = sign.contains("~") ? value.split(separator: "|") : [value[...]]
                for one in wanted {
                    let pattern = try Regex(sign.contains("~") ? String(one) : "\\Q\(one)\\E")
                    let isKnown = try known.contains { try pattern.wholeMatch(in: $0) != nil }
                    #expect(isKnown, "\(file): \(name) has no \(label)=\"\(one)\"")
                }
            }
        }
        #expect(seen > 20)
        for match in text.matches(of: #/\bby \(([^)]*)\)/#) {
            for label in match.1.split(separator: ",") {
                let label = label.trimmingCharacters(in: .whitespaces)
                #expect(labels.contains(label), "\(file): nothing has the label \(label)")
            }
        }
    }

    @Test func `every family of the page is told of in the operators' manual`() throws {
        let manual = try Self.text("docs/operations.md")
        for name in try Self.page().families.keys {
            #expect(manual.contains("`\(name)"), "\(name)")
        }
    }

    @Test func `every reason of readyz and every alert has its entry in the runbook`() throws {
        let manual = try Self.text("docs/operations.md")
        for code in HealthIssue.Code.allCases {
            #expect(manual.contains("| `\(code.rawValue)` |"), "\(code)")
        }
        let alerts = try Self.text(Self.rules).matches(of: #/alert: (\w+)/#).map(\.1)
        #expect(alerts.count > 10)
        for alert in alerts { #expect(manual.contains("| `\(alert)` |"), "\(alert)") }
    }

    @Test func `the dashboard can be read, and its panels lie beside each other`() throws {
        let bytes = Data(try Self.text(Self.dashboard).utf8)
        let object = try #require(
            try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let panels = try #require(object["panels"] as? [[String: Any]])
        #expect(panels.count > 20)
        let numbers = panels.compactMap { $0["id"] as? Int }
        #expect(Set(numbers).count == panels.count)
        var taken: Set<[Int]> = []
        for panel in panels {
            let place = try #require(panel["gridPos"] as? [String: Int])
            let (x, y) = (try #require(place["x"]), try #require(place["y"]))
            let (width, height) = (try #require(place["w"]), try #require(place["h"]))
            #expect(x + width <= 24)
            for column in x..<(x + width) {
                for row in y..<(y + height) { #expect(taken.insert([column, row]).inserted) }
            }
        }
    }

    @Test(.enabled(if: access("/usr/bin/promtool", X_OK) == 0))
    func `Prometheus finds the rules right, and they fire when they should`() throws {
        try promtool("check", "rules", Self.rules)
        try promtool("test", "rules", "Tests/alerts.test.yml")
    }

    @Test(.enabled(if: access("/usr/bin/promtool", X_OK) == 0))
    func `Prometheus can read what the dashboard asks it`() throws {
        let bytes = Data(try Self.text(Self.dashboard).utf8)
        let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        let panels = try #require(object?["panels"] as? [[String: Any]])
        let targets = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
        let expressions = targets.compactMap { $0["expr"] as? String }
        #expect(expressions.count > 40)
        // As rules, with what Grafana puts in.
        let rules = expressions.enumerated().map { number, expression in
            let text = expression.replacing("$instance", with: ".*")
                .replacing("$__rate_interval", with: "5m")
            #expect(!text.contains("$"), "\(text)")
            return "  - record: panel:\(number)\n    expr: >-\n      \(text)\n"
        }
        let folder = TemporaryDirectory()
        let file = folder.path + "/dashboard.yml"
        try "groups:\n- name: panels\n  rules:\n\(rules.joined())"
            .write(toFile: file, atomically: true, encoding: .utf8)
        try promtool("check", "rules", file)
    }

    private func promtool(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/promtool")
        process.arguments = words
        process.currentDirectoryURL = URL(filePath: Self.root)
        process.standardOutput = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        ended.wait()
        #expect(process.terminationStatus == 0, "promtool \(words)")
    }
}
