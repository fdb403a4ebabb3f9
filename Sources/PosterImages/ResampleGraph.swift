import CZimg

/// One zimg filter graph: how to make one plane out of part of another, with Lanczos-3.
///
/// zimg and not loops of our own, measured in CPU time a w500 poster, all three planes, to 60×90,
/// 120×180 and 185×278: zimg 3.0.4 takes 26, 82 and 255 µs, as it picks AVX at run time; 16-bit
/// fixed-point loops in Swift, which may use SSE2 only, took 60, 190 and 480 µs. A graph takes 0.3
/// to 0.9 ms to build, so graphs are kept.
final class ResampleGraph {
    /// What a graph is made for; equal keys, equal graphs.
    struct Key: Hashable {
        /// Samples a row of the source plane.
        let sourceWidth: Int
        /// Rows of the source plane.
        let sourceHeight: Int
        /// The part to show, in source samples. It may reach beyond the plane, whose edge samples
        /// are then mirrored.
        let region: ThumbnailGeometry.Region
        /// Samples a row to make.
        let width: Int
        /// Rows to make.
        let height: Int
    }

    private let graph: OpaquePointer
    /// Bytes of scratch memory that ``run(from:to:scratch:)`` needs.
    let scratchBytes: Int
    /// About how many bytes the graph itself holds: its weights.
    let bytes: Int

    init(_ key: Key) throws(ImageError) {
        var source = Self.format(width: key.sourceWidth, height: key.sourceHeight)
        source.active_region.left = key.region.x
        source.active_region.top = key.region.y
        source.active_region.width = key.region.width
        source.active_region.height = key.region.height
        var target = Self.format(width: key.width, height: key.height)
        var parameters = zimg_graph_builder_params()
        zimg_graph_builder_params_default(&parameters, version)
        parameters.resample_filter = ZIMG_RESIZE_LANCZOS
        parameters.filter_param_a = 3
        // Not AUTO_64B, a quarter faster: zimg 3.0.4's AVX-512 code is off by up to 16 levels at
        // some scales, 79×248 to 39×126 among them (57 of 4000 tried).
        parameters.cpu_type = ZIMG_CPU_AUTO
        guard let graph = zimg_filter_graph_build(&source, &target, &parameters) else {
            throw Self.error()
        }
        var scratchBytes = 0
        guard zimg_filter_graph_get_tmp_size(graph, &scratchBytes) == ZIMG_ERROR_SUCCESS else {
            zimg_filter_graph_free(graph)
            throw Self.error()
        }
        self.graph = graph
        self.scratchBytes = scratchBytes
        let taps = { (extent: Double, samples: Int) in
            Int(6 * max(1, extent / Double(samples))) + 2
        }
        let weights =
            key.width * taps(key.region.width, key.width) + key.height
            * taps(key.region.height, key.height)
        bytes = weights * 8 + 4096
    }

    deinit { zimg_filter_graph_free(graph) }

    /// Fills `target` from `source`, which must have the sizes of the key, one channel, and rows
    /// that begin on multiples of ``sampleAlignment``.
    func run(
        from source: SamplePlane, to target: SamplePlane, scratch: UnsafeMutablePointer<UInt8>
    ) throws(ImageError) {
        precondition(source.isAligned && target.isAligned)
        let status = onesheet_zimg_process(
            graph, source.base, source.pitch, target.base, target.pitch, scratch)
        guard status == ZIMG_ERROR_SUCCESS else { throw Self.error() }
    }

    private static func format(width: Int, height: Int) -> zimg_image_format {
        var format = zimg_image_format()
        zimg_image_format_default(&format, version)
        format.width = UInt32(width)
        format.height = UInt32(height)
        format.pixel_type = ZIMG_PIXEL_BYTE
        format.color_family = ZIMG_COLOR_GREY
        format.pixel_range = ZIMG_RANGE_FULL
        return format
    }

    private static func error() -> ImageError {
        var text = [CChar](repeating: 0, count: 256)
        guard zimg_get_last_error(&text, text.count) != ZIMG_ERROR_OUT_OF_MEMORY else {
            return .codec("resampling: out of memory")
        }
        let message = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return .codec("resampling: " + String(decoding: message, as: UTF8.self))
    }
}

private let version = UInt32(ZIMG_API_VERSION_MAJOR << 8 | ZIMG_API_VERSION_MINOR)
