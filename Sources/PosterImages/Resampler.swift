/// Makes smaller planes of larger ones, with ``ResampleGraph``s that it keeps by geometry.
struct Resampler: ~Copyable {
    private var graphs: [ResampleGraph.Key: ResampleGraph] = [:]
    private var keptBytes = 0
    private var scratch = Scratch<UInt8>()

    /// Weights for about a hundred thumbnails of the usual sizes: a host's posters have a dozen
    /// heights, a front end has a few sizes, and luma and chroma need one each. A scan through
    /// more starts again.
    private static let limit = 8 << 20

    init() {}

    /// Fills `target` with the part of `source` that `region`, in samples, spans. One channel.
    mutating func resample(
        _ source: SamplePlane, _ region: ThumbnailGeometry.Region, into target: SamplePlane
    ) throws(ImageError) {
        let graph = try graph(
            .init(
                sourceWidth: source.width, sourceHeight: source.height, region: region,
                width: target.width, height: target.height))
        try graph.run(
            from: source, to: target, scratch: scratch.reserve(graph.scratchBytes))
    }

    private mutating func graph(_ key: ResampleGraph.Key) throws(ImageError) -> ResampleGraph {
        if let graph = graphs[key] { return graph }
        let graph = try ResampleGraph(key)
        if keptBytes + graph.bytes > Self.limit {
            graphs.removeAll(keepingCapacity: true)
            keptBytes = 0
        }
        graphs[key] = graph
        keptBytes += graph.bytes
        return graph
    }
}
