import PosterBase

/// A page in Prometheus' text format, version 0.0.4, as it grows: families of series, each with
/// its help and type. Labels are our own words; nothing in them needs an escape.
struct Exposition {
    /// The page so far.
    private(set) var text = ""

    /// Begins a family.
    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Adds a series to the family begun last.
    mutating func sample(
        _ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: String
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.key)=\"\($0.value)\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// A family with a series for each label that there is.
    mutating func counter<Label>(
        _ name: String, _ help: String, _ label: String, _ counter: Counter<Label>
    ) {
        family(name, "counter", help)
        for value in Label.allCases {
            sample(name, [label: value.rawValue], String(counter[value]))
        }
    }

    /// A family of one series without labels.
    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        family(name, "counter", help)
        sample(name, [:], String(value))
    }

    /// A family of one series without labels.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        family(name, "gauge", help)
        sample(name, [:], String(value))
    }

    /// A family with one label.
    mutating func gauge(
        _ name: String, _ help: String, _ label: String, _ values: KeyValuePairs<String, Int>
    ) {
        family(name, "gauge", help)
        for (value, number) in values { sample(name, [label: value], String(number)) }
    }

    /// A family of histograms, one for each label that there is; buckets count what is at most
    /// as long as their bound.
    mutating func histogram<Label>(
        _ name: String, _ help: String, _ label: String, _ histogram: Histogram<Label>
    ) {
        family(name, "histogram", help)
        for value in Label.allCases {
            let reading = histogram[value]
            for (bound, count) in zip(histogram.bounds, reading.atMost) {
                sample(
                    "\(name)_bucket", [label: value.rawValue, "le": "\(bound)"], String(count))
            }
            let count = String(reading.count)
            sample("\(name)_bucket", [label: value.rawValue, "le": "+Inf"], count)
            sample("\(name)_sum", [label: value.rawValue], "\(reading.seconds)")
            sample("\(name)_count", [label: value.rawValue], count)
        }
    }
}
