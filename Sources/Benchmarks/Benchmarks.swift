import Glibc

/// Measures a stage of the kit: `Benchmarks image FILE…`. Build it for release.
@main
struct Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "image": try measureImages(Array(arguments.dropFirst()))
        default:
            print("usage: Benchmarks image FILE.jpg…")
            exit(EX_USAGE)
        }
    }
}
