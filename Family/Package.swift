// swift-tools-version: 6.2
import PackageDescription

// Formats whose libraries are large, risky or under the GPL, each in a program of its own. This is a package of its own, so
// that Easel itself needs none of these libraries, neither to build nor to run.

/// Products of Easel.
func easel(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { .product(name: String($0), package: "Easel") }
}

let package = Package(
  name: "EaselFamily",
  products: [.executable(name: "easel-pdf", targets: ["easel-pdf"])],
  dependencies: [.package(name: "Easel", path: "..")],
  targets: [
    .systemLibrary(name: "CPoppler", pkgConfig: "poppler-glib", providers: [.apt(["libpoppler-glib-dev"])]),
    .target(
      name: "CEaselPDF", dependencies: ["CPoppler"],
      linkerSettings: ["poppler-glib", "gobject-2.0", "glib-2.0", "cairo", "fontconfig"].map { .linkedLibrary($0) }),
    .target(name: "EaselPDF", dependencies: ["CEaselPDF"] + easel("EaselCore EaselPixels")),
    // The names by which poppler opens files are in the program, and poppler itself is linked so that it finds them.
    .target(
      name: "CEaselPDFProgram", dependencies: ["CPoppler"],
      linkerSettings: ["poppler", "freetype"].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "easel-pdf", dependencies: ["CEaselPDFProgram", "EaselPDF"] + easel("EaselCore EaselSandbox"),
      path: "Sources/EaselPDFProgram"),
    .testTarget(
      name: "EaselPDFTests",
      dependencies: ["easel-pdf"] + easel("EaselCore EaselHelpers EaselSandbox EaselPNG EaselPixels")),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
