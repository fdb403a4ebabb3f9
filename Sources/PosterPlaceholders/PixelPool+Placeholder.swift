package import PosterBase
package import PosterImages

extension PixelPool {
    /// Draws and encodes a placeholder. Blocks. Throws `.busy` when the queue is full.
    package func placeholder(
        _ request: PlaceholderRequest, _ jobClass: JobClass = .live
    ) throws(ImageError) -> [UInt8] {
        try run(jobClass) { worker throws(ImageError) in try worker.placeholder(request) }
    }
}
