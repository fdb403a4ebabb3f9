import Amodb
import PosterLists

/// The API's `/configuration`, which tells clients where pictures are and in which sizes, made to
/// name this service.
enum ImageConfiguration {
    /// The path of the API that it is for.
    static let path = "/configuration"

    /// The API's answer with other addresses and sizes in `images`; all else is as it was.
    ///
    /// `base` is this service's own address, without a final slash. Every list of sizes becomes
    /// the one of those that are served.
    static func pointing(_ json: [UInt8], at base: String) -> [UInt8] {
        guard let members = JSONMembers.of(json[...]) else { return json }
        let images = members.last { $0.name.elementsEqual("images".utf8) }
        let parts = members.filter { isPassedOn($0) && !$0.name.elementsEqual("images".utf8) }
            .map(text)
        let own = self.images(images.flatMap { JSONMembers.of($0.value) } ?? [], base)
        return Array("{\((parts + ["\"images\":\(own)"]).joined(separator: ","))}".utf8)
    }

    private static func images(_ members: [JSONMembers.Member], _ base: String) -> String {
        let address = jsonString("\(base)/t/p/")
        let sizes = PosterSize.allCases.map { jsonString($0.rawValue) }.joined(separator: ",")
        var sizeNames = ["poster_sizes"]
        var others: [String] = []
        for member in members where isPassedOn(member) {
            let name = String(decoding: member.name, as: UTF8.self)
            if name.hasSuffix("_sizes") {
                if !sizeNames.contains(name) { sizeNames.append(name) }
            } else if name != "base_url", name != "secure_base_url" {
                others.append(text(member))
            }
        }
        let own =
            ["\"base_url\":\(address)", "\"secure_base_url\":\(address)"]
            + sizeNames.map { "\"\($0)\":[\(sizes)]" }
        return "{\((own + others).joined(separator: ","))}"
    }

    /// A name that is spelt with escapes might be one of those that are replaced.
    private static func isPassedOn(_ member: JSONMembers.Member) -> Bool {
        !member.name.contains(UInt8(ascii: "\\"))
    }

    private static func text(_ member: JSONMembers.Member) -> String {
        "\"\(String(decoding: member.name, as: UTF8.self))\":"
            + String(decoding: member.value, as: UTF8.self)
    }
}
