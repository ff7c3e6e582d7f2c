// swift-tools-version: 6.2
import PackageDescription

// Formats whose libraries are large, risky or under the GPL, each in a program of its own. This is a package of its own, so
// that Easel itself needs none of these libraries, neither to build nor to run.

/// Products of Easel.
func easel(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { .product(name: String($0), package: "Easel") }
}

/// A helper: the C over its library, its coder, its program, and the tests.
func helper(
  _ name: String, headers: [Target.Dependency] = [], links: String, uses: String, program: [Target.Dependency] = [],
  tests: String = ""
) -> [Target] {
  let product = "easel-\(name.lowercased())"
  return [
    .target(
      name: "CEasel\(name)", dependencies: headers,
      linkerSettings: links.split(separator: " ").map { .linkedLibrary(String($0)) }),
    .target(
      name: "Easel\(name)", dependencies: [.byName(name: "CEasel\(name)")] + easel("EaselCore EaselPixels \(uses)")),
    .executableTarget(
      name: product, dependencies: [.byName(name: "Easel\(name)")] + program + easel("EaselCore EaselSandbox"),
      path: "Sources/Easel\(name)Program"),
    .testTarget(
      name: "Easel\(name)Tests",
      dependencies: ["FamilyTesting", .byName(name: product)]
        + easel("EaselCore EaselHelpers EaselSandbox EaselPNG EaselPixels \(tests)")),
  ]
}

let package = Package(
  name: "EaselFamily",
  products: ["easel-lottie", "easel-pdf", "easel-raw", "easel-video"].map { .executable(name: $0, targets: [$0]) },
  dependencies: [.package(name: "Easel", path: "..")],
  targets: [
    [
      .systemLibrary(name: "CPoppler", pkgConfig: "poppler-glib", providers: [.apt(["libpoppler-glib-dev"])]),
      // The names by which poppler opens files are in the program, and poppler itself is linked so that it finds them.
      .target(
        name: "CEaselPDFProgram", dependencies: ["CPoppler"],
        linkerSettings: ["poppler", "freetype"].map { .linkedLibrary($0) }),
      // Programs that make files, and the pixels of what is decoded.
      .target(
        name: "FamilyTesting", dependencies: easel("EaselCore EaselHelpers EaselPNG"), path: "Tests/FamilyTesting"),
    ],
    helper(
      "PDF", headers: ["CPoppler"], links: "poppler-glib gobject-2.0 glib-2.0 cairo fontconfig", uses: "",
      program: ["CEaselPDFProgram"]),
    helper("Lottie", links: "rlottie z", uses: ""),
    helper("Raw", links: "raw_r", uses: "EaselJPEG", tests: "EaselTIFF"),
    helper("Video", links: "avformat avcodec avutil swscale", uses: ""),
  ].flatMap { $0 },
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

// Helpers that are named are built without the libraries of the others.
if let wanted = Context.environment["EASEL_FAMILY"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var open = wanted.split(separator: " ").flatMap { ["easel-\($0.lowercased())", "Easel\($0)Tests"] }
  while let name = open.popLast() {
    guard let target = targets[name] else { fatalError("EASEL_FAMILY names \(name), which is no target.") }
    guard kept.insert(name).inserted else { continue }
    open += target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}
