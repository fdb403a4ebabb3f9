/// A rectangle of a placeholder, in pixels.
struct Area: Equatable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

/// Where a placeholder's parts lie: below one another, or side by side where the box is wide.
struct PlaceholderAreas: Equatable, Sendable {
    /// The title's.
    let title: Area
    /// The mark's, beside a title.
    let markWithTitle: Area
    /// The mark's, without a title.
    let markAlone: Area
    /// The smallest type, in pixels, that a title is set in before it is cut.
    let smallestType: Double
    /// Whether a title has room at all. Below some 40 pixels it would be a smear.
    let holdsTitle: Bool

    /// Divides a box of pixels.
    init(width: Double, height: Double) {
        let side = min(width, height)
        markAlone = Self.centred(side: side * 0.46, in: (0, 0, width, height))
        if width > 1.3 * height {
            let column = min(height, width * 0.3)
            markWithTitle = Self.centred(
                side: column * 0.5, in: (column * 0.1, 0, column * 0.9, height))
            let margin = height * 0.12
            title = Area(
                x: column + margin / 2, y: margin, width: width - column - 1.5 * margin,
                height: height - 2 * margin)
        } else {
            let margin = width * 0.1
            let top = height * 0.37
            markWithTitle = Self.centred(
                side: min(width * 0.3, height * 0.2), in: (0, height * 0.12, width, height * 0.25))
            title = Area(
                x: margin, y: top, width: width - 2 * margin, height: height * 0.92 - top)
        }
        smallestType = max(6.5, min(width, height * 2 / 3) * 0.055)
        holdsTitle = title.width >= 32 && title.height >= 12
    }

    private static func centred(
        side: Double, in box: (x: Double, y: Double, width: Double, height: Double)
    ) -> Area {
        Area(
            x: box.x + (box.width - side) / 2, y: box.y + (box.height - side) / 2,
            width: side, height: side)
    }
}
