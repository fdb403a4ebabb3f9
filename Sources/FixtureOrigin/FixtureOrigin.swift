import Glibc

/// Runs one origin until a signal ends it.
@main struct FixtureOrigin {
    static func main() {
        // Blocked before any thread starts, so that only `sigwait` below ever sees them.
        var endings = sigset_t()
        sigemptyset(&endings)
        sigaddset(&endings, SIGTERM)
        sigaddset(&endings, SIGINT)
        pthread_sigmask(SIG_BLOCK, &endings, nil)
        do throws(OriginError) {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            guard !arguments.wantsHelp else { return say(Arguments.usage, to: STDOUT_FILENO) }
            let origin = try Origin(
                fixtures: arguments.fixtures, key: arguments.key, port: arguments.port,
                latency: arguments.latency)
            say("FixtureOrigin listening on \(origin.base)\n", to: STDOUT_FILENO)
            var signal: Int32 = 0
            sigwait(&endings, &signal)
            origin.stop()
        } catch {
            say("FixtureOrigin: \(error)\n", to: STDERR_FILENO)
            if case .usage = error { exit(EX_USAGE) }
            if case .noFixtures = error { exit(EX_NOINPUT) }
            exit(EX_UNAVAILABLE)
        }
    }
}

private func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
}
