// swift-tools-version: 6.1
import PackageDescription

// A window of GTK 4. A package of its own, because only it needs libgtk-4-dev.
let package = Package(
  name: "EaselGTKExample",
  dependencies: [.package(name: "Easel", path: "../.."), .package(name: "EaselExamples", path: "..")],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .target(name: "CGalleryWindow", dependencies: ["CGTK"]),
    .executableTarget(
      name: "GTKGallery",
      dependencies: [
        "CGalleryWindow", .product(name: "Easel", package: "Easel"),
        .product(name: "ExampleSupport", package: "EaselExamples"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
