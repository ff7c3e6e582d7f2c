// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"]),
    .library(name: "EaselPixels", targets: ["EaselPixels"]),
    .library(name: "EaselColor", targets: ["EaselColor"]),
    .library(name: "EaselTransformers", targets: ["EaselTransformers"]),
  ],
  targets: [
    .target(name: "EaselCore", path: "Sources/Core"),
    .target(
      name: "CEaselColor", path: "Sources/Pixels/CEaselColor", linkerSettings: [.linkedLibrary("lcms2")]),
    .target(
      name: "EaselColor", dependencies: ["EaselCore", "EaselPixels", "CEaselColor"], path: "Sources/Pixels/EaselColor"),
    .target(name: "CEaselPixels", path: "Sources/Pixels/CEaselPixels", linkerSettings: [.linkedLibrary("m")]),
    .target(name: "EaselPixels", dependencies: ["EaselCore", "CEaselPixels"], path: "Sources/Pixels/EaselPixels"),
    .target(
      name: "EaselTransformers", dependencies: ["EaselCore", "EaselPixels"], path: "Sources/Transformers"),

    .testTarget(name: "EaselCoreTests", dependencies: ["EaselCore"], path: "Tests/EaselCoreTests"),
    .target(
      name: "CEaselColorFixtures", path: "Tests/Support/CEaselColorFixtures",
      linkerSettings: [.linkedLibrary("lcms2")]),
    .testTarget(
      name: "EaselColorTests", dependencies: ["EaselColor", "CEaselColorFixtures"], path: "Tests/EaselColorTests"),
    .testTarget(name: "EaselPixelsTests", dependencies: ["EaselPixels"], path: "Tests/EaselPixelsTests"),
    .testTarget(
      name: "EaselTransformersTests", dependencies: ["EaselTransformers"], path: "Tests/EaselTransformersTests"),
    .testTarget(name: "CEaselPixelsTests", dependencies: ["CEaselPixels"], path: "Tests/CEaselPixelsTests"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
