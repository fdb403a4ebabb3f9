/// The pixels that a picture is to fill, such as `120x180`. A side left out, `120x` or `x180`, is
/// free: it follows from the picture's shape.
struct Box: ArgumentValue, Equatable {
    let width: Int?
    let height: Int?

    init(argument: String) throws(ValueError) {
        let rule = "a box is WIDTHxHEIGHT in pixels, such as 120x180"
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw ValueError(rule) }
        (width, height) = (WholeNumber.digits(sides[0]), WholeNumber.digits(sides[1]))
        guard width != nil || sides[0].isEmpty, height != nil || sides[1].isEmpty,
            width != nil || height != nil
        else { throw ValueError(rule) }
    }
}

extension Box: CustomStringConvertible {
    /// As it is typed.
    var description: String {
        "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
    }
}
