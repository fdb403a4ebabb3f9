package import PosterBase

/// What the pixel threads count.
package final class ImageMetrics: Sendable {
    /// What a pixel thread spends its time on.
    package enum Work: String, CaseIterable, Sendable {
        /// A whole decode that proves a picture.
        case verify
        /// A whole decode and the thumbnails made from it.
        case thumbnail
        /// A drawing and its encoding.
        case placeholder
    }

    /// How long pixel threads worked on a job.
    package let pixelTimes = Histogram<Work>(seconds: [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
    ])
    /// JPEGs that the fast decoder read.
    package let fastJPEGDecodes = Tally()
    /// JPEGs that were left to libjpeg-turbo alone, those among them that it refused.
    package let jpegFallbacks = Counter<JPEGFallback>()
    /// Pictures that were refused.
    package let decodeRejects = Counter<ImageError.Reason>()

    /// All counts at zero.
    package init() {}
}
