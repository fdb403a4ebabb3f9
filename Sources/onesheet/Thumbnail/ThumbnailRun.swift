import Glibc
import PosterBase
import PosterImages
import PosterKit

/// Makes the thumbnails of many files on all cores.
struct ThumbnailRun {
    /// What became of the jobs.
    struct Outcome {
        /// Thumbnails that were written.
        var made = 0
        /// Their bytes.
        var bytes = 0
        /// In the order of the command line.
        var failures: [(job: ThumbnailJob, failure: Failure)] = []
        /// The signal that asked to stop before all were made.
        var signal: Int32?
    }

    private struct State {
        var next = 0
        var made = 0
        var bytes = 0
        var failures: [Int: Failure] = [:]
    }

    let jobs: [ThumbnailJob]
    let variant: ThumbnailVariant
    let interrupts: Interrupts
    let progress: Progress

    /// Runs them all, or as many as are done when a signal comes. Blocks.
    func run() -> Outcome {
        let cores = min(onlineCores(), jobs.count)
        let pool = PixelPool(threads: cores)
        let state = Monitor(State())
        progress.setTotal(jobs.count)
        // Twice the cores: while one file is read or written, the pixels of another are made.
        let threads = (0..<min(2 * cores, jobs.count)).map { _ in
            PosixThread(name: "files") { work(pool, state) }
        }
        for thread in threads { thread.join() }
        pool.stop()
        let end = state.withLock { $0 }
        let failures = end.failures.sorted { $0.key < $1.key }.map { (jobs[$0.key], $0.value) }
        let isWhole = end.made + failures.count == jobs.count
        return Outcome(
            made: end.made, bytes: end.bytes, failures: failures,
            signal: isWhole ? nil : interrupts.signal)
    }

    private func work(_ pool: PixelPool, _ state: Monitor<State>) {
        while interrupts.signal == nil {
            let index = state.withLock { state in
                defer { state.next += 1 }
                return state.next
            }
            guard index < jobs.count else { return }
            var bytes = 0
            do throws(Failure) {
                bytes = try make(jobs[index], pool)
                state.withLock { state in
                    state.made += 1
                    state.bytes += bytes
                }
            } catch {
                // A signal ended the wait for its input or output: it counts as not begun.
                if case .stopped = error.exitCode { return }
                state.withLock { $0.failures[index] = error }
            }
            progress.advance(bytes: bytes)
        }
    }

    private func make(_ job: ThumbnailJob, _ pool: PixelPool) throws(Failure) -> Int {
        let limit = ImageLimits().bytes
        do {
            let picture = try readInput(job.input, limit: limit, isRegularOnly: true)
            guard let thumbnail = try pool.thumbnails(of: picture, as: [variant]).thumbnails.first
            else {
                throw Failure(.software, "no thumbnail was made")
            }
            try writeOutput(thumbnail, to: job.output)
            return thumbnail.count
        } catch let error as ImageError {
            throw Failure(error.exitCode, "\(quoted(job.input)): \(error.message)")
        } catch let error as any ExitCoded {
            throw Failure(error.exitCode, error.message)
        } catch { throw Failure(.software, "\(quoted(job.input)): \(error)") }
    }
}
