/// Why a request gets an error instead of what it asked for: the status, and what the JSON body
/// says.
struct RequestRefusal: Error, Equatable, Sendable {
    /// The HTTP status.
    let status: Int
    /// A closed word for programs, in snake case.
    let code: String
    /// One sentence for people; text from outside is quoted in it.
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// 400 for a parameter's value.
    static func parameter(_ name: String, _ why: String) -> RequestRefusal {
        RequestRefusal(400, "bad_parameter", "parameter \(name): \(why)")
    }
}
