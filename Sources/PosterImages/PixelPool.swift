package import PosterBase

/// The threads that do pixels, one a core, each with codecs and scratch memory of its own.
///
/// The store proves posters and makes thumbnails through it; the `thumbnail` and `placeholder`
/// commands use it without a store.
public final class PixelPool: Sendable {
    private let pool: WorkerPool<ImageWorker>
    private let limits: ImageLimits

    /// Starts the threads. `queueLength`: how many jobs of a class may wait, or less; `metrics` is
    /// told how long the jobs take.
    package init(
        threads: Int = onlineCores(), queueLength: Int = 1024, limits: ImageLimits = .init(),
        metrics: ImageMetrics = ImageMetrics()
    ) {
        self.limits = limits
        pool = WorkerPool(name: "pixels", threads: threads, capacity: queueLength) {
            ImageWorker(metrics: metrics)
        }
    }

    /// Proves that `bytes` are one whole picture within the limits, and says which format. Blocks.
    /// Throws `.busy` when the queue is full. `onTint` is told the colour that stands for it, on a
    /// thread of the pool.
    package func verify(
        _ bytes: [UInt8], _ jobClass: JobClass = .live, onTint: (@Sendable (Tint) -> Void)? = nil
    ) throws(ImageError) -> ImageFormat {
        let limits = limits
        return try run(jobClass) { worker throws(ImageError) in
            try worker.verify(bytes, limits: limits, onTint: onTint).format
        }
    }

    /// Makes a thumbnail for each variant from one decode of `bytes`, which are proven on the
    /// way, and says which format they have. Blocks. Throws `.busy` when the queue is full.
    /// `onTint` as for ``verify(_:_:onTint:)``.
    package func thumbnails(
        of bytes: [UInt8], as variants: [ThumbnailVariant], _ jobClass: JobClass = .live,
        onTint: (@Sendable (Tint) -> Void)? = nil
    ) throws(ImageError) -> (format: ImageFormat, thumbnails: [[UInt8]]) {
        let limits = limits
        guard let format = ImageFormat(firstBytes: bytes) else {
            throw .notAnImage(firstBytes: Array(bytes.prefix(8)))
        }
        let thumbnails = try run(jobClass) { worker throws(ImageError) in
            try worker.thumbnails(of: bytes, as: variants, limits: limits, onTint: onTint)
        }
        return (format, thumbnails)
    }

    /// Queues a job that needs a worker; `false` when the queue is full.
    package func submit(_ jobClass: JobClass, _ job: @escaping WorkerPool<ImageWorker>.Job) -> Bool
    {
        pool.submit(jobClass, job)
    }

    /// Why every JPEG is decoded by libjpeg-turbo alone, in a few words; `nil` where the fast
    /// decoder works with the library that is loaded.
    public static var fastDecoderTrouble: String? { PlaneDecoder.mismatch }

    /// How many jobs wait, and how many run.
    public var load: (waiting: Int, running: Int) { pool.load }

    /// The jobs of a class.
    package func load(of jobClass: JobClass) -> JobQueue<WorkerPool<ImageWorker>.Job>.Load {
        pool.load(of: jobClass)
    }

    /// How many jobs of the class ``JobClass/live`` may wait.
    package var capacity: Int { pool.capacity }

    /// Ends the threads when their jobs are done. Blocks.
    public func stop() { pool.stop() }

    /// Runs a job on a worker and waits for it. Blocks. Throws `.busy` when the queue is full.
    package func run<Value: Sendable>(
        _ jobClass: JobClass,
        _ job: @escaping @Sendable (inout ImageWorker) throws(ImageError) -> Value
    ) throws(ImageError) -> Value {
        let result: Result<Value, ImageError>? = pool.run(jobClass) { worker in
            do throws(ImageError) { return .success(try job(&worker)) } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .busy(waiting: pool.load.waiting) }
        return try result.get()
    }
}
