/// Header fields as they go over the wire, each line with its CRLF.
struct HeaderFields: Sendable {
    /// The lines.
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Takes names and values.
    init(_ fields: [(name: String, value: String)]) {
        bytes.reserveCapacity(512)
        for (name, value) in fields { add(name, value) }
    }

    /// Adds a line. A control character in `value` becomes a space, so that no value can begin
    /// another line.
    mutating func add(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        for index in start..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7F {
            bytes[index] = 0x20
        }
        bytes.append(0x0D)
        bytes.append(0x0A)
    }
}
