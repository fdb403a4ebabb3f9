import CJPEG

/// Decodes JPEG planes with libjpeg-turbo, whose entropy decoder is a ``ScanReader``.
///
/// What it reads is whole, and sample for sample what the library alone makes of it. What it does
/// not read may be anything: a fault, or only a thing too rare to be read fast.
struct PlaneDecoder: ~Copyable {
    private let reader = UnsafeMutablePointer<ScanReader>.allocate(capacity: 1)

    init() { reader.initialize(to: ScanReader()) }

    deinit {
        reader.deinitialize(count: 1)
        reader.deallocate()
    }

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) { reader.pointee.trim(to: limit) }

    /// Why it can decode nothing with the library that is loaded; `nil` where it can.
    static let mismatch = onesheet_jpeg_trouble().map { String(cString: $0) }

    /// A picture to make: 1/`reduction` of the size along both axes, and a plane of that size for each
    /// component, with memory for ``rowsBeyond`` rows more.
    struct Target {
        let reduction: Int
        let planes: [SamplePlane]
    }

    /// Reads a JPEG file once and makes a picture of each size. When it throws, what the planes hold
    /// is undefined. All coefficients are kept while there is more than one size.
    mutating func decode(_ bytes: [UInt8], into targets: [Target]) throws(JPEGFallback) {
        guard Self.mismatch == nil else { throw .version }
        // A new one for each picture, in under 1 µs: libjpeg keeps the tables of the last one, and takes
        // them for those that a picture lacks.
        guard let library = onesheet_jpeg_create(beginScan, readMCU, reader) else {
            throw .memory
        }
        defer { onesheet_jpeg_destroy(library) }
        reader.pointee.beginPicture()
        let pictures = targets.map { target in
            var picture = onesheet_jpeg_picture()
            picture.denominator = Int32(target.reduction)
            for (index, plane) in target.planes.enumerated() {
                onesheet_jpeg_set_plane(
                    &picture, Int32(index),
                    .init(
                        base: plane.base, pitch: plane.pitch, rows: plane.height + Self.rowsBeyond))
            }
            return picture
        }
        let components = targets[0].planes.count
        let status = bytes.withUnsafeBufferPointer { bytes in
            onesheet_jpeg_read(
                library, bytes.baseAddress, bytes.count, pictures, Int32(pictures.count),
                Int32(components))
        }
        // Bytes too many and coefficients without their last bits are two faults, not one.
        if status == 2, reader.pointee.strayBytes > 0 { throw .data }
        if status == 0 { throw reader.pointee.doubt ?? .library }
    }

    /// As ``decode(_:into:)``, for one size.
    mutating func decode(
        _ bytes: [UInt8], reduction: Int, into planes: [SamplePlane]
    ) throws(JPEGFallback) {
        try decode(bytes, into: [Target(reduction: reduction, planes: planes)])
    }

    /// The library writes as many rows at a time as a row of MCUs is high: four blocks at most.
    static let rowsBeyond = 4 * 8
}

private func beginScan(_ jpeg: j_decompress_ptr?) {
    guard let jpeg, let reader = scanReader(of: jpeg) else { return }
    reader.pointee.beginScan(jpeg)
}

/// The library takes `FALSE` for data that are still to come, and stops.
private func readMCU(
    _ jpeg: j_decompress_ptr?, _ blocks: UnsafeMutablePointer<JBLOCKROW?>?
) -> boolean {
    guard let jpeg, let blocks, let reader = scanReader(of: jpeg) else { return 0 }
    return reader.pointee.readMCU(jpeg, blocks) ? 1 : 0
}

private func scanReader(of jpeg: j_decompress_ptr) -> UnsafeMutablePointer<ScanReader>? {
    jpeg.pointee.client_data?.assumingMemoryBound(to: ScanReader.self)
}
