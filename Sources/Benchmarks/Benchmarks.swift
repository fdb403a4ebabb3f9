import Glibc

/// Measures a stage of the kit, `Benchmarks image FILE…`, `Benchmarks placeholder` or
/// `Benchmarks cache DIR`, or does what a script needs for a measurement: `Benchmarks decode FILE…`
/// what a whole prefetch is held against (see `scripts/bench-fill`), `Benchmarks fill DIR ENTRIES`
/// a cache to verify (see `scripts/bench-verify`). Build it for release.
@main
struct Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "image": try measureImages(Array(arguments.dropFirst()))
        case "placeholder": try measurePlaceholders()
        case "cache": try measureCache(Array(arguments.dropFirst()))
        case "fill": try fillCache(Array(arguments.dropFirst()))
        case "decode": decodeImages(Array(arguments.dropFirst()))
        case "hostile": try measureHostile(Array(arguments.dropFirst()))
        case "hostile-child": try hostileChild(Array(arguments.dropFirst()))
        default:
            print(
                """
                usage: Benchmarks image FILE.jpg… | placeholder | cache DIR \
                | fill DIR ENTRIES | decode FILE.jpg… | hostile [NAME…]
                """
            )
            exit(EX_USAGE)
        }
    }
}
