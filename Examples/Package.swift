// swift-tools-version: 6.1
import PackageDescription

// Each way of using Easel has a small program. script/examples builds and runs them all and checks their output.
let easel = Target.Dependency.product(name: "Easel", package: "Easel")

let testSupport = Target.Dependency.product(name: "EaselTestSupport", package: "Easel")

let package = Package(
  name: "EaselExamples",
  dependencies: [.package(name: "Easel", path: ".."), .package(name: "EaselQOI", path: "QOI")],
  targets: [
    // A loopback server with pictures, so that the examples need no network.
    .target(
      name: "ExampleSupport",
      dependencies: [easel, testSupport]
    ),
    .target(name: "CExampleCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .executableTarget(name: "Demo", dependencies: [easel, testSupport, "ExampleSupport", "CExampleCrypto"]),
    .executableTarget(name: "SignedRequests", dependencies: [easel, testSupport, "ExampleSupport", "CExampleCrypto"]),
    .executableTarget(name: "EncryptedPictures", dependencies: [easel, "ExampleSupport", "CExampleCrypto"]),
    .executableTarget(name: "ComposedTransformers", dependencies: [easel, "ExampleSupport"]),
    .executableTarget(
      name: "SandboxedDecoder",
      dependencies: [easel, .product(name: "EaselEverything", package: "Easel"), "ExampleSupport"]
    ),
    .executableTarget(name: "ThumbnailService", dependencies: [easel, "ExampleSupport"]),
    .executableTarget(
      name: "MountedService",
      dependencies: [easel, "ExampleSupport", .product(name: "EaselService", package: "Easel")]
    ),
    .executableTarget(
      name: "ServerWithACoder",
      dependencies: [
        easel, .product(name: "EaselCoding", package: "Easel"), .product(name: "EaselListener", package: "Easel"),
      ]
    ),
    .executableTarget(
      name: "TerminalGallery",
      dependencies: [easel, "ExampleSupport", .product(name: "EaselTerminal", package: "Easel")]
    ),
    .executableTarget(
      name: "CustomCoder",
      dependencies: [easel, "ExampleSupport", .product(name: "EaselQOI", package: "EaselQOI")]
    ),
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .target(name: "CGalleryWindow", dependencies: ["CGTK"]),
    .executableTarget(name: "GTKGallery", dependencies: [easel, "ExampleSupport", "CGalleryWindow"]),
    // The tests of the package QOI are built here too, so that Easel is not built once more for them.
    .testTarget(
      name: "EaselQOITests",
      dependencies: [
        .product(name: "EaselQOI", package: "EaselQOI"), .product(name: "EaselManager", package: "Easel"), testSupport,
      ],
      path: "QOI/Tests/EaselQOITests"
    ),
    // Checks the examples' plug-ins against the contracts of their kinds.
    .testTarget(
      name: "ExamplePluginTests",
      dependencies: [
        "SignedRequests", "EncryptedPictures", "Demo", "ServerWithACoder", "ExampleSupport", easel, testSupport,
      ]
    ),
    .executableTarget(
      name: "LeanProgram",
      dependencies: [
        .product(name: "EaselCore", package: "Easel"), .product(name: "EaselPNG", package: "Easel"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
