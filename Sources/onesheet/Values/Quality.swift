/// A JPEG or WebP quality.
struct Quality: ArgumentValue, Equatable {
    let value: Int

    init(argument: String) throws(ValueError) {
        guard let value = WholeNumber.digits(argument[...]), (1...100).contains(value) else {
            throw ValueError("a quality is a whole number from 1 to 100")
        }
        self.value = value
    }
}
