// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"]),
    .library(name: "EaselMemory", targets: ["EaselMemory"]),
    .library(name: "EaselDisk", targets: ["EaselDisk"]),
  ],
  targets: [
    .target(name: "EaselCore", path: "Sources/Core"),
    .target(name: "EaselMemory", dependencies: ["EaselCore"], path: "Sources/Caches/EaselMemory"),
    .testTarget(name: "EaselMemoryTests", dependencies: ["EaselMemory"], path: "Tests/EaselMemoryTests"),
    .target(
      name: "CEaselDisk", path: "Sources/Caches/CEaselDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "EaselDisk", dependencies: ["EaselCore", "CEaselDisk"], path: "Sources/Caches/EaselDisk"),
    .executableTarget(name: "EaselDiskChild", dependencies: ["EaselDisk"], path: "Tests/EaselDiskChild"),
    .testTarget(
      name: "EaselDiskTests", dependencies: ["EaselDisk", "EaselDiskChild"], path: "Tests/EaselDiskTests"),
    .testTarget(name: "EaselCoreTests", dependencies: ["EaselCore"], path: "Tests/EaselCoreTests"),

    // What script/bench runs. The counter of allocations replaces malloc, so only the program may depend on it.
    .target(name: "EaselBenchmarkHarness", path: "Benchmarks/Harness"),
    .target(name: "CEaselBenchSupport", path: "Benchmarks/CEaselBenchSupport"),
    .executableTarget(
      name: "EaselBenchmarks",
      dependencies: ["EaselBenchmarkHarness", "CEaselBenchSupport", "EaselCore", "EaselMemory"],
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
