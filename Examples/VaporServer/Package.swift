// swift-tools-version: 6.2
import PackageDescription

// A server on Vapor that takes uploads, and serves pictures of them. It is a package of its own, because the other
// examples need no packages of others.
let package = Package(
  name: "PictureServer",
  dependencies: [
    .package(name: "Easel", path: "../.."),
    .package(name: "EaselAdapters", path: "../../Adapters"),
    .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
  ],
  targets: [
    .executableTarget(
      name: "VaporPictures",
      dependencies: [
        .product(name: "Easel", package: "Easel"),
        .product(name: "EaselService", package: "Easel"),
        .product(name: "EaselVapor", package: "EaselAdapters"),
        .product(name: "EaselAsyncHTTPClient", package: "EaselAdapters"),
        .product(name: "EaselLogging", package: "EaselAdapters"),
        .product(name: "EaselMetrics", package: "EaselAdapters"),
        .product(name: "EaselTracing", package: "EaselAdapters"),
        .product(name: "Vapor", package: "vapor"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
