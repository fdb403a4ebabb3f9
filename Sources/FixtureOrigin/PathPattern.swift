/// Whether a pattern covers a path: the same text, or a prefix where the pattern ends in `*`.
func covers(_ pattern: String, _ path: String) -> Bool {
    pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
}

/// The pattern that says most about a path: the path itself, else the longest prefix.
func mostSpecific(of patterns: some Sequence<String>, for path: String) -> String? {
    patterns.filter { covers($0, path) }
        .max { rank($0) < rank($1) }
}

private func rank(_ pattern: String) -> Int {
    pattern.hasSuffix("*") ? pattern.utf8.count : Int.max
}
