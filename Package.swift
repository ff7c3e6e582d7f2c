// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"]),
    .library(name: "EaselMemory", targets: ["EaselMemory"]),
  ],
  targets: [
    .target(name: "EaselCore", path: "Sources/Core"),
    .target(name: "EaselMemory", dependencies: ["EaselCore"], path: "Sources/Caches/EaselMemory"),
    .testTarget(name: "EaselMemoryTests", dependencies: ["EaselMemory"], path: "Tests/EaselMemoryTests"),
    .testTarget(name: "EaselCoreTests", dependencies: ["EaselCore"], path: "Tests/EaselCoreTests"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
