/// What to change in a JPEG's bytes so that libjpeg has nothing to warn of, where what it would warn
/// of costs no pixel.
///
/// Decoders stop at the first warning, because nearly all of libjpeg's mean missing or guessed
/// pixels. Of those in `jerror.h` these do not, and a viewer shows the picture as if they were not
/// there:
/// - `JWRN_JFIF_MAJOR`: no pixel depends on the version in a JFIF header;
/// - `JWRN_ADOBE_XFORM`: libjpeg takes an unknown transform for YCbCr or YCCK, as the others do;
/// - `JWRN_NOT_SEQUENTIAL`: a sequential scan holds all coefficients, whatever its header says;
/// - `JWRN_EXTRANEOUS_DATA`, where the bytes lie between two segments and belong to neither;
/// - `JWRN_EXTRANEOUS_DATA` behind entropy-coded data, for a few bytes and where it is the only
///   warning: all blocks have come by then. The fast decoder passes over such bytes; for libjpeg the
///   coefficients are coded once more without them.
///
/// The rest stays a refusal: `JWRN_HIT_MARKER`, `JWRN_HUFF_BAD_CODE`, `JWRN_ARITH_BAD_CODE`,
/// `JWRN_JPEG_EOF` and `JWRN_MUST_RESYNC` stand for pixels that are missing, and
/// `JWRN_BOGUS_PROGRESSION` for bits of coefficients that are.
struct JPEGRepairs: Equatable, Sendable {
    private struct Repair: Equatable {
        let range: Range<Int>
        let replacement: [UInt8]
    }

    /// The most places of one picture. Real files have one or two; a file of nothing else would
    /// take more memory for the list than for its pixels.
    static let limit = 64

    private var repairs: [Repair] = []

    /// Whether the bytes can go to a decoder as they are.
    var isEmpty: Bool { repairs.isEmpty }

    /// Notes that `range` of the bytes is to be `replacement`.
    mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) throws(ImageError) {
        guard repairs.count < Self.limit else {
            throw .corrupt(
                .jpeg,
                "more than \(Self.limit) harmless faults, the last at byte "
                    + "\(range.lowerBound)")
        }
        repairs.append(Repair(range: range, replacement: replacement))
    }

    /// The most bytes behind entropy-coded data that a picture may have in all. Public files that are
    /// whole have up to 45; behind damaged data there are mostly hundreds, of blocks that were lost.
    static let strayBytes = 64

    /// The bytes for a decoder: `bytes` themselves where there is nothing to repair.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        guard !repairs.isEmpty else { return bytes }
        var repaired: [UInt8] = []
        repaired.reserveCapacity(bytes.count)
        var position = 0
        for repair in repairs.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            repaired += bytes[position..<repair.range.lowerBound]
            repaired += repair.replacement
            position = repair.range.upperBound
        }
        return repaired + bytes[position...]
    }
}
