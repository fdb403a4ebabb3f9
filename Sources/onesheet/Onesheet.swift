import PosterKit

/// The command line.
@main
struct Onesheet {
    static func main() {}
}
