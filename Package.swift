// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"]),
    .library(name: "EaselTestSupport", targets: ["EaselTestSupport"]),
  ],
  targets: [
    .target(name: "EaselCore", path: "Sources/Core"),
    .target(name: "CEaselPixels", path: "Sources/Pixels/CEaselPixels", linkerSettings: [.linkedLibrary("m")]),
    .testTarget(name: "CEaselPixelsTests", dependencies: ["CEaselPixels"], path: "Tests/CEaselPixelsTests"),
    .testTarget(
      name: "EaselCoreTests",
      dependencies: ["EaselCore", "EaselTestSupport"],
      path: "Tests/EaselCoreTests"
    ),

    // Fakes and contracts for whoever writes a plug-in.
    .target(name: "EaselTestSupport", dependencies: ["EaselCore"], path: "Tests/Support"),
    .testTarget(
      name: "EaselTestSupportTests",
      dependencies: ["EaselCore", "EaselTestSupport"],
      path: "Tests/EaselTestSupportTests"
    ),

    // What script/bench runs. The counter of allocations replaces malloc, so only the program may depend on it.
    .target(name: "EaselBenchmarkHarness", path: "Benchmarks/Harness"),
    .target(name: "CEaselBenchSupport", path: "Benchmarks/CEaselBenchSupport"),
    .executableTarget(
      name: "EaselBenchmarks",
      dependencies: ["EaselBenchmarkHarness", "CEaselBenchSupport", "EaselCore"],
      path: "Benchmarks/EaselBenchmarks"
    ),
    .testTarget(
      name: "EaselBenchmarkHarnessTests",
      dependencies: ["EaselBenchmarkHarness"],
      path: "Tests/EaselBenchmarkHarnessTests"
    ),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
