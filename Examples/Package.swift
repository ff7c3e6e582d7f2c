// swift-tools-version: 6.1
import PackageDescription

// One small program per way of use. script/examples builds and runs them all and checks what they print.
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
    .executableTarget(name: "ThumbnailService", dependencies: [easel, "ExampleSupport"]),
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
    // The tests of the package QOI, built here too, so that Easel need not be built once more for them.
    .testTarget(
      name: "EaselQOITests",
      dependencies: [.product(name: "EaselQOI", package: "EaselQOI"), testSupport],
      path: "QOI/Tests/EaselQOITests"
    ),
    // Each plug-in of an example keeps the contract of its kind.
    .testTarget(
      name: "ExamplePluginTests",
      dependencies: ["SignedRequests", "EncryptedPictures", "Demo", "ExampleSupport", easel, testSupport]
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
