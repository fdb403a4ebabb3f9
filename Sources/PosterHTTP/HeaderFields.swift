/// Header fields as they go over the wire, each line with its CRLF.
package struct HeaderFields: Sendable {
    /// The lines.
    private(set) var bytes: [UInt8] = []

    package init() {}

    /// Takes names and values.
    package init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields { add(name, value) }
    }

    /// Makes room for as many bytes.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Adds a line. A control character in `value` becomes a space, so that no value can begin
    /// another line.
    package mutating func add(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7F {
                bytes[index] = 0x20
            }
        }
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// Adds the lines of others.
    package static func += (fields: inout HeaderFields, others: HeaderFields) {
        fields.bytes.append(contentsOf: others.bytes)
    }

    /// Names and values, in order.
    var all: [(name: String, value: String)] {
        bytes.split(separator: 0x0A).map { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            let value = line.dropFirst(name.count + 2).dropLast()
            return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    /// A value by its name as written here.
    package func value(of name: String) -> String? { all.first { $0.name == name }?.value }

    /// The lines with some names.
    package func only(_ names: Set<String>) -> HeaderFields {
        HeaderFields(all.filter { names.contains($0.name) })
    }
}
