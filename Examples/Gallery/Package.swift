// swift-tools-version: 6.2
import PackageDescription

// A window with the pictures of folders and URLs. It is a package of its own, which needs the headers of GTK 4.
let package = Package(
  name: "PictureGallery",
  products: [.executable(name: "easel-gallery", targets: ["EaselGallery"])],
  dependencies: [.package(name: "Easel", path: "../..")],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .target(
      name: "PictureGallery",
      dependencies: [
        "CGTK", .product(name: "Easel", package: "Easel"), .product(name: "EaselGTK", package: "Easel"),
      ]
    ),
    .executableTarget(name: "EaselGallery", dependencies: ["PictureGallery"]),
    // The program of script/bench gtk.
    .executableTarget(name: "MeasureGallery", dependencies: ["PictureGallery"]),
    .testTarget(name: "PictureGalleryTests", dependencies: ["PictureGallery"]),
  ],
  swiftLanguageModes: [.v6]
)
