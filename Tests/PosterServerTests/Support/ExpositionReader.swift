/// Reads Prometheus' text format, version 0.0.4, as strictly as its description has it, and
/// stricter: a family's lines lie together, each series comes once, histograms add up.
struct ExpositionReader {
    struct Family {
        var type: String
        /// By the series' name and labels as written.
        var series: [String: Double] = [:]
        /// The labels' values, by name.
        var labels: [String: Set<String>] = [:]
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var families: [String: Family] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Fault(description: "no newline at the end") }
        var current = ""
        var helped = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            switch words.prefix(2) {
            case ["#", "HELP"]:
                guard words.count > 3, Self.isName(words[2]) else { throw Self.fault(line) }
                helped = String(words[2])
            case ["#", "TYPE"]:
                guard words.count == 4, words[2] == helped, families[helped] == nil,
                    ["counter", "gauge", "histogram"].contains(words[3])
                else { throw Self.fault(line) }
                current = helped
                families[current] = Family(type: String(words[3]))
            default: try take(line, into: current)
            }
        }
        for (name, family) in families where family.type == "histogram" {
            try checkHistogram(name, family)
        }
    }

    subscript(series: String) -> Double? {
        families.values.lazy.compactMap { $0.series[series] }.first
    }

    private mutating func take(_ line: Substring, into current: String) throws {
        guard var family = families[current], let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { throw Self.fault(line) }
        let series = line[..<space]
        let name = series.prefix { $0 != "{" }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { name == current + $0 }) else { throw Self.fault(line) }
        if family.type == "counter", !current.hasSuffix("_total") { throw Self.fault(line) }
        if name.endIndex != series.endIndex {
            guard series.hasSuffix("}") else { throw Self.fault(line) }
            let inner = series[series.index(after: name.endIndex)...].dropLast()
            for pair in inner.split(separator: ",", omittingEmptySubsequences: false) {
                let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, Self.isName(parts[0]), parts[1].count >= 3,
                    parts[1].first == "\"", parts[1].last == "\"",
                    parts[1].dropFirst().dropLast().allSatisfy({ $0.isASCII && $0 != "\"" })
                else { throw Self.fault(line) }
                family.labels[String(parts[0]), default: []].insert(
                    String(parts[1].dropFirst().dropLast()))
            }
        }
        guard family.series.updateValue(value, forKey: String(series)) == nil, value >= 0 else {
            throw Self.fault(line)
        }
        families[current] = family
    }

    /// Buckets never fall, end in `+Inf`, and that is the count.
    private func checkHistogram(_ name: String, _ family: Family) throws {
        let counts = family.series.filter { $0.key.hasPrefix(name + "_count") }
        guard !counts.isEmpty else { throw Fault(description: "\(name) has no count") }
        for (series, count) in counts {
            let labels = series.dropFirst(name.count + 6).dropFirst().dropLast()
            let buckets = family.series.compactMap { key, value -> (Double, Double)? in
                guard key.hasPrefix("\(name)_bucket{\(labels),le=\"") else { return nil }
                let bound = key.split(separator: "\"")[key.split(separator: "\"").count - 2]
                return (bound == "+Inf" ? .infinity : Double(bound) ?? .nan, value)
            }.sorted { $0.0 < $1.0 }
            guard buckets.last?.0 == .infinity, buckets.last?.1 == count,
                zip(buckets, buckets.dropFirst()).allSatisfy({ $0.0 < $1.0 && $0.1 <= $1.1 }),
                family.series["\(name)_sum{\(labels)}"] != nil
            else { throw Fault(description: "\(series): \(buckets)") }
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func fault(_ line: Substring) -> Fault { Fault(description: String(line)) }
}
