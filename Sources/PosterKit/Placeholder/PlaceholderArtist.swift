/// Draws placeholders with Cairo and Pango. Stateless; blocks for the drawing.
struct PlaceholderArtist: Sendable {
    /// Draws at the exact size asked for. The same request, the same pixels, given the same fonts.
    func draw(_ request: PlaceholderRequest) throws(ImageError) -> PixelBuffer {
        fatalError("unbuilt")
    }
}
