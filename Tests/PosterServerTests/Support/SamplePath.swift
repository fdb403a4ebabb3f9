import Amodb

extension PosterPath {
    /// `/abc.jpg`
    static let sample: PosterPath = {
        do { return try PosterPath("/abc.jpg") } catch { fatalError("\(error)") }
    }()
}
