import Glibc

/// Measures a stage of the kit, `Benchmarks image FILE…` or `Benchmarks placeholder`, or does what a whole prefetch is held
/// against, `Benchmarks decode FILE…` (see `scripts/bench-fill`). Build it for release.
@main
struct Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "image": try measureImages(Array(arguments.dropFirst()))
        case "placeholder": try measurePlaceholders()
        case "decode": decodeImages(Array(arguments.dropFirst()))
        case "hostile": try measureHostile(Array(arguments.dropFirst()))
        case "hostile-child": try hostileChild(Array(arguments.dropFirst()))
        default:
            print(
                "usage: Benchmarks image FILE.jpg… | placeholder | decode FILE.jpg… | hostile [NAME…]"
            )
            exit(EX_USAGE)
        }
    }
}
