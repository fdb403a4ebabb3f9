import PosterKit

/// Measures a stage of the kit.
@main
struct Benchmarks {
    static func main() {}
}
