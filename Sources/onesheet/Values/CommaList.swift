/// Several values with commas between them, such as `w185,w500`; one that comes twice counts
/// once.
struct CommaList<Element: ArgumentValue & Equatable>: ArgumentValue, Equatable {
    let elements: [Element]

    init(argument: String) throws(ValueError) {
        var elements: [Element] = []
        for text in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let element = try Element(argument: String(text))
            if !elements.contains(element) { elements.append(element) }
        }
        self.elements = elements
    }
}
