// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"])
  ],
  targets: [
    .target(name: "EaselCore", path: "Sources/Core"),
    .target(name: "CEaselPixels", path: "Sources/Pixels/CEaselPixels", linkerSettings: [.linkedLibrary("m")]),
    .testTarget(name: "EaselCoreTests", dependencies: ["EaselCore"], path: "Tests/EaselCoreTests"),
    .testTarget(name: "CEaselPixelsTests", dependencies: ["CEaselPixels"], path: "Tests/CEaselPixelsTests"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
