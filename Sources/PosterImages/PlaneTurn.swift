extension Orientation {
    /// Writes `stored` upright into `upright`, whose sides must be `stored`'s, swapped where the
    /// turn swaps them.
    func turn(_ stored: SamplePlane, into upright: SamplePlane) {
        precondition(
            stored.channels == upright.channels
                && (stored.width, stored.height)
                    == (swapsAxes
                        ? (upright.height, upright.width) : (upright.width, upright.height))
        )
        let channels = stored.channels
        for y in 0..<stored.height {
            let row = stored.base + (mirrorsRows ? stored.height - 1 - y : y) * stored.pitch
            for x in 0..<stored.width {
                let from = row + (mirrorsColumns ? stored.width - 1 - x : x) * channels
                let target =
                    swapsAxes ? x * upright.pitch + y * channels : y * upright.pitch + x * channels
                for channel in 0..<channels { upright.base[target + channel] = from[channel] }
            }
        }
    }
}
