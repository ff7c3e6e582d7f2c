// swift-tools-version: 6.2
import PackageDescription

// A server on Hummingbird that takes uploads, and serves pictures of them. It is a package of its own, because the other
// examples need no packages of others.
let package = Package(
  name: "PictureServer",
  dependencies: [
    .package(name: "Easel", path: "../.."),
    .package(name: "EaselAdapters", path: "../../Adapters"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "HummingbirdPictures",
      dependencies: [
        .product(name: "Easel", package: "Easel"),
        .product(name: "EaselService", package: "Easel"),
        .product(name: "EaselHummingbird", package: "EaselAdapters"),
        .product(name: "EaselLifecycle", package: "EaselAdapters"),
        .product(name: "EaselLogging", package: "EaselAdapters"),
        .product(name: "EaselMetrics", package: "EaselAdapters"),
        .product(name: "EaselTracing", package: "EaselAdapters"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
