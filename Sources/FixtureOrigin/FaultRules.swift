/// Which fault is due at which path.
///
/// Turns are counted for each path by itself, also under a pattern: `times: 1` at `/t/p/*` lets
/// every image fail once.
final class FaultRules: Sendable {
    private struct Rule {
        var fault: Fault
        var times: Int?
        var turns: [String: Int] = [:]
    }

    private let rules = Locked<[String: Rule]>([:])

    /// The patterns that have a fault.
    var patterns: [String] { rules.read { $0.keys.sorted() } }

    func set(_ fault: Fault, at pattern: String, times: Int?) {
        rules.change { $0[pattern] = Rule(fault: fault, times: times) }
    }

    func clear(_ pattern: String) {
        rules.change { $0[pattern] = nil }
    }

    func clearAll() {
        rules.change { $0 = [:] }
    }

    /// The fault for the next request of that path; takes its turn.
    func next(for path: String) -> Fault {
        rules.change { rules in
            guard let pattern = mostSpecific(of: rules.keys, for: path), var rule = rules[pattern]
            else { return .normal }
            let number = rule.turns[path, default: 0]
            rule.turns[path] = number + 1
            rules[pattern] = rule
            if let times = rule.times, number >= times { return .normal }
            return rule.fault.turn(number)
        }
    }
}
