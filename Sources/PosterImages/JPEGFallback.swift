/// Why a JPEG is decoded by libjpeg-turbo alone and not by the fast decoder. That takes up to 2.5
/// times the CPU, and changes no sample.
public enum JPEGFallback: String, CaseIterable, Error, Sendable {
    /// The fast decoder is not in this build, or was built for another version of the library.
    case version
    /// RGB or ink, which are decoded to pixels.
    case color
    /// Sampling factors that make no planes of luma and evenly coarser chroma.
    case sampling
    /// Arithmetic codes.
    case arithmetic
    /// No memory for a decompressor.
    case memory
    /// The library stopped at an error or a warning of its own.
    case library
    /// A Huffman table is missing or against the rules.
    case table
    /// A component has a second sequential scan, or a band of it comes again with fewer bits.
    case scan
    /// No marker, or another one, where a restart or the end of a scan must be.
    case marker
    /// Entropy-coded data against the rules, too short or too long.
    case data
}
