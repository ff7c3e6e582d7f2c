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
    .target(name: "EaselTestSupport", dependencies: ["EaselCore"], path: "Tests/Support"),
    .testTarget(
      name: "EaselCoreTests", dependencies: ["EaselCore", "EaselTestSupport"], path: "Tests/EaselCoreTests"),
    .testTarget(
      name: "EaselTestSupportTests", dependencies: ["EaselCore", "EaselTestSupport"],
      path: "Tests/EaselTestSupportTests"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
