import Amodb

/// The pixels of a picture, as a poster size (`w342`, at the usual 2:3) or as `WIDTHxHEIGHT`.
struct PictureSize: ArgumentValue, Equatable {
    let width: Int
    let height: Int

    init(argument: String) throws(ValueError) {
        if let size = PosterSize(rawValue: argument) {
            (width, height) = (size.width, size.usualHeight)
            return
        }
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = WholeNumber.digits(sides[0]),
            let height = WholeNumber.digits(sides[1])
        else { throw ValueError("it must be w185, w342, w500, or WIDTHxHEIGHT, such as 240x360") }
        (self.width, self.height) = (width, height)
    }
}
