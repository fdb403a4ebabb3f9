import Glibc

/// Looks again and again whether something has become so that other threads bring about, for half a
/// minute at most: a busy machine may not let them run for seconds.
func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while try !isSo() {
        if ContinuousClock.now > end { return false }
        // Leaves the core to the threads that are waited for.
        usleep(500)
    }
    return true
}
