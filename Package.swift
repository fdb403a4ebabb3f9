// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "onesheet",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Amodb", targets: ["Amodb"]),
        .library(name: "AmodbClient", targets: ["AmodbClient"]),
        .library(name: "PosterKit", targets: ["PosterKit"]),
        .library(name: "PosterObjectStore", targets: ["PosterObjectStore"]),
        .library(name: "PosterServer", targets: ["PosterServer"]),
        .executable(name: "onesheet", targets: ["onesheet"]),
    ],
    targets: [
        // Debian's C libraries. Each folder is a module map and one header, imported by one folder.
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CJPEG", pkgConfig: "libjpeg",
            // On Ubuntu libjpeg-turbo8-dev.
            providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CZimg", pkgConfig: "zimg", providers: [.apt(["libzimg-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(
            name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(
            // Without its flags: it is loaded when it is needed, not linked.
            name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),

        // Parts of glibc and of Linux that Swift's Glibc module leaves out.
        .systemLibrary(name: "CGetopt"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CEpoll"),

        // One way only: onesheet → PosterServer → PosterObjectStore → PosterKit → PosterLists →
        // PosterFetch → PosterCache → PosterImages → PosterBase → Amodb; PosterKit →
        // PosterPlaceholders → PosterImages; PosterServer → PosterHTTP → PosterBase.
        .target(name: "Amodb", swiftSettings: strict),
        // For apps: the API over URLSession. Nothing else here depends on it.
        .target(name: "AmodbClient", dependencies: ["Amodb"], swiftSettings: strict),
        // Threads, files, time, counts: what every stage stands on.
        .target(
            name: "PosterBase", dependencies: ["Amodb", "CXXHash", "CLinux"],
            swiftSettings: strict),
        // Pictures: proven, decoded, resampled and encoded.
        .target(
            name: "PosterImages",
            dependencies: [
                "Amodb", "PosterBase", "CJPEG", "CTurboJPEG", "CPNG", "CZimg", "CWebP",
            ],
            swiftSettings: strict),
        // What is drawn where there is no poster.
        .target(
            name: "PosterPlaceholders",
            dependencies: ["PosterBase", "PosterImages", "CPango"], swiftSettings: strict),
        // Entries on disk and in memory, their upkeep, and how the disk is doing.
        .target(
            name: "PosterCache", dependencies: ["Amodb", "PosterBase", "PosterImages"],
            swiftSettings: strict),
        // Requests to upstream: one client, and politeness to each host over all processes.
        .target(
            name: "PosterFetch", dependencies: ["Amodb", "PosterBase", "PosterCache", "CCurl"],
            swiftSettings: strict),
        // The list API's answers, and its budget.
        .target(
            name: "PosterLists",
            dependencies: ["Amodb", "PosterBase", "PosterCache", "PosterFetch"],
            swiftSettings: strict),
        // The product: the way of a poster through the stages.
        .target(
            name: "PosterKit",
            dependencies: [
                "Amodb", "PosterBase", "PosterImages", "PosterCache", "PosterFetch", "PosterLists",
                "PosterPlaceholders",
            ],
            swiftSettings: strict),
        // The store that several nodes share, for those that have several nodes.
        .target(
            name: "PosterObjectStore",
            dependencies: [
                "Amodb", "PosterBase", "PosterImages", "PosterCache", "PosterFetch", "PosterKit",
            ],
            swiftSettings: strict),
        // The HTTP/1.1 server, which knows nothing of posters.
        .target(
            name: "PosterHTTP", dependencies: ["PosterBase", "CEpoll"], swiftSettings: strict),
        .target(
            name: "PosterServer",
            dependencies: [
                "Amodb", "PosterBase", "PosterHTTP", "PosterImages", "PosterPlaceholders",
                "PosterCache", "PosterFetch", "PosterLists", "PosterKit", "PosterObjectStore",
            ],
            resources: [.embedInCode("Page/Assets")],
            swiftSettings: strict),
        .executableTarget(
            name: "onesheet",
            dependencies: [
                "Amodb", "PosterBase", "PosterHTTP", "PosterCache", "PosterFetch", "PosterLists",
                "PosterKit", "PosterObjectStore", "PosterServer", "CGetopt", "CMalloc",
            ],
            swiftSettings: strict),

        // Not shipped: the stand-in upstream of the demo and the tests, pictures drawn from a seed,
        // and the measurements.
        .executableTarget(name: "FixtureOrigin", swiftSettings: strict),
        .target(name: "PictureGenerator", dependencies: ["CJPEG"], swiftSettings: strict),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Amodb", "PosterBase", "PosterImages", "PosterCache", "PosterKit", "CTurboJPEG",
                "CPNG",
            ],
            swiftSettings: strict),

        // The library example of the README as a program of its own: built, never run.
        .executableTarget(
            name: "LibraryExample", dependencies: ["Amodb", "PosterKit"],
            path: "Tests/LibraryExample", swiftSettings: strict),
        .testTarget(name: "AmodbTests", dependencies: ["Amodb"], swiftSettings: strict),
        .testTarget(
            name: "AmodbClientTests", dependencies: ["Amodb", "AmodbClient", "FixtureOrigin"],
            swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "PosterKitTests",
            dependencies: [
                "Amodb", "PosterBase", "PosterImages", "PosterPlaceholders", "PosterCache",
                "PosterFetch", "PosterLists", "PosterKit", "PosterObjectStore", "CTurboJPEG",
                "CWebP",
                "FixtureOrigin", "Benchmarks", "PictureGenerator", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PosterServerTests",
            dependencies: [
                "Amodb", "PosterBase", "PosterHTTP", "PosterCache", "PosterFetch", "PosterLists",
                "PosterKit", "PosterObjectStore", "PosterServer", "FixtureOrigin", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OnesheetTests",
            dependencies: [
                "Amodb", "PosterBase", "PosterCache", "PosterFetch", "PosterLists", "PosterKit",
                "PosterObjectStore", "FixtureOrigin", "onesheet", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FixtureOriginTests", dependencies: ["FixtureOrigin"], swiftSettings: strict),
    ]
)
