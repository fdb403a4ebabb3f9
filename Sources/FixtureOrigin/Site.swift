/// What all connections of one origin share.
struct Site: Sendable {
    let routes: Routes
    let record = Record()
    let rules = FaultRules()
    /// How long every answer takes at least.
    let latency: Duration

    /// Back to the state right after the start.
    func reset() {
        rules.clearAll()
        routes.content.restore()
        record.reset()
    }
}
