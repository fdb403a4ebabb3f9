/// The one colour that stands for a poster until it comes: what a front end paints, to fade the
/// picture in over it.
///
/// One colour and not a blurred picture such as a ThumbHash (25 bytes), because it is shown for a
/// moment and behind 60×90 points, because it needs no script to be drawn (an SVG's `fill`, a
/// style), and because it costs next to nothing beside the decode that proves a poster.
public struct Tint: Hashable, Sendable {
    /// sRGB.
    public let red: UInt8
    /// sRGB.
    public let green: UInt8
    /// sRGB.
    public let blue: UInt8

    /// Puts a colour together.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}

extension Tint: CustomStringConvertible {
    /// `#rrggbb`, as CSS and SVG read it.
    public var description: String {
        // Written for every hit.
        String(unsafeUninitializedCapacity: 7) { text in
            text[0] = UInt8(ascii: "#")
            for (index, byte) in [red, green, blue].enumerated() {
                text[2 * index + 1] = Self.digit(byte >> 4)
                text[2 * index + 2] = Self.digit(byte & 15)
            }
            return 7
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension Tint {
    /// Samples that are looked at, about; more make no other colour.
    private static let enoughSamples = 4096

    /// As light as the picture is in the mean, in the mean of its hues, where colourful samples
    /// count for more: a red figure in the dark gives a dark red, not a grey.
    init(of picture: DecodedPicture) {
        var (luma, blue, red, weight) = (0.0, 0.0, 0.0, 0.0)
        func add(_ blueness: Double, _ redness: Double) {
            let share = 8 + abs(blueness) + abs(redness)
            blue += blueness * share
            red += redness * share
            weight += share
        }
        switch picture.color {
        case .grey: luma = Self.mean(of: picture.planes[0].samples)
        case .yCbCr:
            luma = Self.mean(of: picture.planes[0].samples)
            let (blues, reds) = (picture.planes[1].samples, picture.planes[2].samples)
            Self.visit(blues) { add(Double($0[0]) - 128, Double(reds.base[$1]) - 128) }
        case .rgb, .premultipliedRGBA:
            var count = 0.0
            Self.visit(picture.planes[0].samples) { sample, _ in
                let (r, g, b) = (Double(sample[0]), Double(sample[1]), Double(sample[2]))
                let y = 0.299 * r + 0.587 * g + 0.114 * b
                luma += y
                count += 1
                add((b - y) * 0.564, (r - y) * 0.713)
            }
            luma /= max(count, 1)
        }
        if weight > 0 { (blue, red) = (blue / weight, red / weight) }
        // JFIF 1.02, the inverse of its YCbCr.
        self.init(
            red: Self.byte(luma + 1.402 * red),
            green: Self.byte(luma - 0.344136 * blue - 0.714136 * red),
            blue: Self.byte(luma + 1.772 * blue))
    }

    private static func mean(of plane: SamplePlane) -> Double {
        var (sum, count) = (0, 0)
        visit(plane) { sample, _ in
            sum += Int(sample[0])
            count += 1
        }
        return Double(sum) / Double(max(count, 1))
    }

    /// Calls `body` with samples that lie evenly over a plane, and with their offsets.
    private static func visit(
        _ plane: SamplePlane, _ body: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) {
        var step = 1
        while plane.width / step * (plane.height / step) > enoughSamples { step += 1 }
        for y in stride(from: step / 2, to: plane.height, by: step) {
            for x in stride(from: step / 2, to: plane.width, by: step) {
                let offset = y * plane.pitch + x * plane.channels
                body(plane.base + offset, offset)
            }
        }
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
