// swift-tools-version: 6.1
import PackageDescription

// A coder that Easel does not contain, in a separate package as the author of a plug-in would publish it.
let package = Package(
  name: "EaselQOI",
  products: [.library(name: "EaselQOI", targets: ["EaselQOI"])],
  dependencies: [.package(name: "Easel", path: "../..")],
  targets: [
    .target(
      name: "EaselQOI",
      dependencies: [
        .product(name: "EaselCore", package: "Easel"), .product(name: "EaselPixels", package: "Easel"),
      ]
    ),
    .testTarget(
      name: "EaselQOITests",
      dependencies: [
        "EaselQOI", .product(name: "EaselManager", package: "Easel"),
        .product(name: "EaselTestSupport", package: "Easel"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
