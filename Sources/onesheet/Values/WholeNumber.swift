/// A whole number in plain digits, as large as nine of them.
struct WholeNumber: ArgumentValue, Equatable {
    let value: Int

    init(argument: String) throws(ValueError) {
        guard let value = Self.digits(argument[...]) else {
            throw ValueError("it must be a whole number")
        }
        self.value = value
    }

    /// Reads digits and nothing else: no sign, no space, no digits of other scripts.
    static func digits(_ text: Substring) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return Int(text)
    }
}
