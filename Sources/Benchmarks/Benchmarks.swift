import Glibc

/// Measures a stage of the kit, `Benchmarks image FILE…`, or a whole prefetch,
/// `Benchmarks fill IMAGE_BASE CACHE_DIR PATHS`. Build it for release.
@main
struct Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "image": try measureImages(Array(arguments.dropFirst()))
        case "fill": try measureFilling(Array(arguments.dropFirst()))
        default:
            print("usage: Benchmarks image FILE.jpg… | fill IMAGE_BASE CACHE_DIR PATHS")
            exit(EX_USAGE)
        }
    }
}
