// swift-tools-version: 6.2
import PackageDescription

// The table of the house. An entry is a module, often with the C that it stands on and with its tests; the functions at the
// end say what each kind of entry makes. Names of targets and of libraries stand in one text, with blanks between them.
//
// There are no traits: with two of them or more, SwiftPM compiles everything again whenever it plans. There are no system
// libraries either: SwiftPM asks each dependent for all of them. The C code names the package of a missing one.

// MARK: The core, the manager, and what stands on it

// Arrows point to the names of dependencies alone: script/check arrows.
let core: [[Target]] = [
  module(
    "EaselSupport", at: "Sources/Support", uses: "", tests: "EaselCore EaselManager EaselTestStudio EaselTestSupport"),
  module("EaselCore", at: "Sources/Core", uses: "EaselSupport", tests: "EaselTestStudio EaselTestSupport"),
  module("EaselHTTP", at: "Sources/HTTP", uses: "EaselCore EaselSupport", tests: "EaselTestStudio"),
  module(
    "EaselWorkers", at: "Sources/Workers", uses: "EaselCore EaselSupport", tests: "EaselTestStudio EaselTestSupport"),
  module(
    "EaselTiers", at: "Sources/Caches/EaselTiers", uses: "EaselCore EaselSupport EaselWorkers",
    tests: "EaselTestStudio EaselTestSupport"),
  module(
    "EaselManager", at: "Sources/Manager", uses: "EaselCore EaselHTTP EaselSupport EaselTiers EaselWorkers",
    tests: "EaselTestStudio EaselTestSupport"),
  module(
    "EaselDisplay", at: "Sources/Display", uses: "EaselCore EaselManager EaselSupport EaselWorkers",
    tests: "EaselTestStudio EaselTestSupport"),
  module(
    "EaselObserving", at: "Sources/Observing", uses: "EaselCore EaselSupport",
    tests: "EaselTiers EaselManager EaselTestSupport"),
]

// MARK: Pixels

let pixels: [[Target]] = [
  c("CEaselPixels", in: "Sources/Pixels", links: "m", tests: ""),
  module(
    "EaselPixels", at: "Sources/Pixels/EaselPixels", uses: "EaselCore EaselSupport CEaselPixels",
    tests: "EaselTestPixels"),
  module(
    "EaselColor", at: "Sources/Pixels/EaselColor", c: "lcms2 m", uses: "EaselCore EaselSupport EaselPixels",
    tests: "CEaselColorFixtures EaselTestPixels"),
  module(
    "EaselTransformers", at: "Sources/Transformers", uses: "EaselCore EaselSupport EaselPixels EaselColor",
    tests: "EaselTestPixels"),
]

// MARK: Coders

// The formats of most pictures, which Easel has. A new format is one line in the list below it.
let formats: [[Target]] = [
  coder("PNG", library: "isal deflate z", uses: "CEaselPixels", tests: "CEaselCodecBaseline EaselPNGProbe"),
  coder("JPEG", library: "jpeg", uses: "CEaselPixels", tests: "EaselTransformers CEaselPixels"),
  coder("GIF", library: "gif"),
  coder("WebP", library: "webp", tests: "EaselTiers EaselManager EaselPNG CEaselWebPBaseline"),
  // Formats simple enough to be read and written without a library; icons hold PNGs.
  module(
    "EaselBasic", at: "Sources/Coders/EaselBasic",
    uses: "EaselCore CEaselPixels EaselPixels EaselColor EaselCoding EaselFormats EaselPNG",
    tests: "CEaselColorFixtures EaselTestPixels EaselTestCorpus EaselTestSupport"),
]
// Those that EaselEverything adds.
let otherFormats: [[Target]] = [
  coder("AVIF", library: "avif dav1d", uses: "CEaselPixels", tests: "EaselManager EaselPNG"),
  coder("HEIF", library: "de265"),
  coder("JXL", library: "jxl", tests: "EaselTiers EaselManager EaselPNG EaselJPEG"),
  coder("JPEG2000", library: "openjp2"),
  coder("TIFF", library: "tiff m", tests: "EaselPNG"),
  // The fonts of the system, for whatever draws text.
  c(
    "CEaselFonts", in: "Sources/Coders",
    links: "cairo pangocairo-1.0 pangoft2-1.0 pango-1.0 gobject-2.0 glib-2.0 fontconfig freetype"),
  c("CEaselSVG", in: "Sources/Coders", uses: "CEaselFonts", links: "rsvg-2 gio-2.0 z m"),
  module(
    "EaselSVG", at: "Sources/Coders/EaselSVG", uses: "EaselCore EaselFormats EaselPixels CEaselFonts CEaselSVG",
    tests: "EaselPNG EaselTestPixels EaselTestCorpus EaselTestSupport"),
  c("CEaselText", in: "Sources/Coders", uses: "CEaselFonts"),
  module(
    "EaselText", at: "Sources/Coders/EaselText",
    uses: "EaselCore EaselFormats EaselPixels EaselSupport EaselTransformers CEaselFonts CEaselText",
    tests: "EaselColor EaselTestPixels"),
]
let allFormats = formats + otherFormats

let coding: [[Target]] = [
  // The cards on which coders say all that the rest of the house must know of their formats.
  module("EaselFormats", at: "Sources/Coders/EaselFormats", uses: "EaselCore"),
  // The parts that all coders share: metadata, delays, rows, the finish of a picture. Authors of coders use it too.
  module(
    "EaselCoding", at: "Sources/Coders/EaselCoding", uses: "EaselCore EaselSupport CEaselPixels EaselPixels EaselColor",
    tests: "CEaselColorFixtures EaselTestPixels"),
  // Coders in processes that can do nothing but decode.
  module(
    "EaselSandbox", at: "Sources/Coders/EaselSandbox", c: "", uses: "EaselCore EaselFormats EaselSupport",
    tests: """
      EaselTiers EaselManager EaselPixels EaselEverything \(modules(of: allFormats)) EaselMemory EaselTestPixels
      EaselTestCorpus EaselTestSupport EaselSandboxWorker EaselMisbehaving
      """),
  // Coders that are programs of their own, found by their cards.
  module(
    "EaselHelpers", at: "Sources/Coders/EaselHelpers", uses: "EaselCore EaselFormats EaselSandbox EaselSupport",
    tests: "EaselMisbehaving EaselSandboxWorker EaselTestSupport"),
]

// MARK: Loaders and caches

let loaders: [[Target]] = [
  module(
    "EaselLocal", at: "Sources/Loaders/EaselLocal", uses: "EaselCore EaselSupport EaselWorkers",
    tests: "EaselTiers EaselManager EaselTestSupport"),
  module(
    "EaselCurl", at: "Sources/Loaders/EaselCurl", c: "curl z brotlidec zstd",
    uses: "EaselCore EaselSupport EaselHTTP EaselWorkers",
    tests: "EaselManager EaselTestSupport EaselTestServers EaselCurlChild"),
  module(
    "EaselLinks", at: "Sources/Loaders/EaselLinks", uses: "EaselCore EaselHTTP EaselSupport", tests: "EaselTestSupport"),
  module(
    "EaselAzure", at: "Sources/Loaders/EaselAzure", uses: "EaselCore EaselSupport EaselCurl",
    tests: "EaselTestSupport"),
  // Objects of S3: a loader, and a store for several machines.
  module(
    "EaselS3", at: "Sources/Loaders/EaselS3", uses: "EaselCore EaselHTTP EaselSupport EaselCurl EaselRecords",
    tests: "EaselTestSupport EaselTestServers"),
]

let caches: [[Target]] = [
  module(
    "EaselMemory", at: "Sources/Caches/EaselMemory", c: "", uses: "EaselCore EaselSupport", tests: "EaselTestSupport"),
  module("EaselRecords", at: "Sources/Caches/EaselRecords", c: "", uses: "EaselCore", tests: "EaselTestSupport"),
  module(
    "EaselDisk", at: "Sources/Caches/EaselDisk", c: "sqlite3",
    uses: "EaselCore EaselSupport EaselWorkers EaselRecords CEaselRecords",
    tests: "EaselTiers EaselTestSupport EaselDiskChild"),
  module("EaselWire", at: "Sources/Caches/EaselWire", c: "ssl crypto", uses: "EaselCore EaselSupport"),
  module(
    "EaselRedis", at: "Sources/Caches/EaselRedis", c: "hiredis",
    uses: "EaselCore EaselSupport EaselHTTP EaselTiers EaselWorkers EaselRecords EaselWire",
    tests: "EaselTestSupport EaselTestServers"),
  module(
    "EaselMemcached", at: "Sources/Caches/EaselMemcached",
    uses: "EaselCore EaselRecords EaselSupport EaselWire EaselWorkers",
    tests: "EaselTestSupport EaselTestServers"),
]

// MARK: Everything in one import, the picture server and the program

let programs: [[Target]] = [
  module(
    "Easel", at: "Sources/Easel",
    uses: """
      EaselCore EaselFormats EaselWorkers EaselDisplay EaselSupport EaselTiers EaselManager EaselPixels EaselColor
      EaselTransformers EaselMemory EaselDisk EaselCurl EaselLocal EaselSandbox \(modules(of: formats))
      """),
  // Easel with all formats and stores.
  module(
    "EaselEverything", at: "Sources/Everything",
    uses: """
      EaselCore Easel EaselBasic \(modules(of: otherFormats)) EaselObserving EaselLinks EaselAzure EaselS3 EaselRedis
      EaselMemcached
      """),
  // Sees only what users see, because it compiles the snippets of the pages.
  tests(
    "Easel",
    uses: """
      EaselCore Easel EaselEverything EaselCoding EaselHelpers EaselObserving EaselRedis EaselS3 EaselService EaselListener
      EaselServiceTestSupport EaselTestSupport
      """,
    packageAccess: false),
  // A widget of GTK 4, which is loaded when a program runs.
  module(
    "EaselGTK", at: "Sources/Views/EaselGTK", c: "",
    uses: "EaselCore EaselDisplay EaselManager EaselPixels EaselSupport",
    tests: "EaselWorkers EaselTiers CEaselGTKFixtures EaselTestPixels EaselTestStudio EaselTestSupport"),
  // The picture server as a function, and the listener of `easel serve`, which knows nothing of pictures.
  module(
    "EaselService", at: "Sources/Service/EaselService", c: "crypto",
    uses: """
      EaselCore EaselFormats EaselHTTP EaselLocal EaselManager EaselObserving EaselPixels EaselSupport EaselTiers
      EaselTransformers EaselWorkers
      """,
    // Bytes of the program itself, so that it stays one file.
    embeds: "Playground/Page/playground.html Playground/Page/playground.css Playground/Page/playground.js",
    tests: """
      EaselPNG EaselJPEG EaselGIF EaselWebP EaselAVIF EaselHEIF EaselText EaselMemory EaselServiceTestSupport EaselTestSupport
      EaselTestPixels
      """),
  module(
    "EaselListener", at: "Sources/Service/EaselListener", c: "", uses: "EaselCore EaselSupport EaselService",
    tests: "EaselTestSupport EaselListenerProbe"),
  // The heap of a program that owns its process.
  c("CEaselHeap", in: "Sources/Service"),
  module("EaselTerminal", at: "Sources/Terminal", uses: "EaselCore EaselSupport EaselPixels", tests: ""),
  program(
    "EaselCLI", at: "Sources/CLI",
    // The C targets tell the versions of their libraries.
    uses: """
      EaselCore EaselFormats EaselHTTP EaselObserving EaselPixels EaselSupport EaselWorkers Easel EaselEverything EaselSVG
      EaselService EaselListener EaselTerminal EaselRedis EaselMemcached EaselAzure EaselS3 CEaselColor CEaselDisk
      CEaselJPEG CEaselCurl CEaselHeap CEaselService EaselHelpers
      """,
    embeds: "VERSION",
    tests: "EaselSandboxWorker EaselTestSupport EaselTestCorpus EaselTestPixels EaselTestServers"),
]

// MARK: What tests use

let support: [[Target]] = [
  // Fakes and contracts for whoever writes a plug-in, and the contract of grammars, which needs the service.
  module(
    "EaselTestSupport", at: "Tests/Support",
    uses: "EaselCore EaselFormats EaselPixels EaselSupport EaselTiers EaselManager EaselTestPixels EaselWorkers",
    tests: "EaselPNG"),
  module(
    "EaselServiceTestSupport", at: "Tests/ServiceSupport", uses: "EaselCore EaselService EaselSupport EaselTestSupport"),
  // A manager made of fakes, for the tests of the manager and of what stands on it.
  module(
    "EaselTestStudio", at: "Tests/Studio",
    uses: "EaselCore EaselSupport EaselWorkers EaselTiers EaselManager EaselTestPixels EaselTestSupport"),
  module("EaselTestTags", at: "Tests/Tags", uses: ""),
  module(
    "EaselTestServers", at: "Tests/Servers", uses: "EaselCore EaselSupport EaselManager EaselTestSupport",
    tests: "EaselTiers"),
  module("EaselTestPixels", at: "Tests/EaselTestPixels", uses: "EaselCore EaselSupport EaselHTTP EaselPixels"),
  c("CEaselColorFixtures", in: "Tests", links: "lcms2"),
  c("CEaselGTKFixtures", in: "Tests", uses: "CEaselGTK"),
  // Pictures nobody here wrote, and what each must give.
  module("EaselTestCorpus", at: "Tests/Corpus/EaselTestCorpus", c: "crypto", uses: "EaselCore EaselFormats EaselHTTP"),
  program("EaselCorpusTable", at: "Tests/Corpus/EaselCorpusTable", uses: "EaselCore EaselEverything EaselTestCorpus"),
  // The stores under the cache and the manager that use them.
  tests(
    "EaselCache",
    uses: "EaselCore EaselSupport EaselTiers EaselManager EaselMemory EaselDisk EaselTestSupport EaselMemoryChild"),
  // Processes whose memory the tests look at.
  program("EaselPNGProbe", at: "Tests/EaselPNGProbe", uses: "EaselCore EaselPNG"),
  program("EaselMemoryChild", at: "Tests/EaselMemoryChild", uses: "EaselCore EaselTiers EaselManager EaselMemory"),
  // A process that the tests of the disk store kill, and run beside others on one directory.
  program("EaselDiskChild", at: "Tests/EaselDiskChild", uses: "EaselCore EaselSupport EaselDisk"),
  // A process that loads again and again, and says what it has.
  program("EaselCurlChild", at: "Tests/EaselCurlChild", uses: "EaselCore EaselCurl EaselTestSupport"),
  // A process that answers from memory, for measurements and for tests that change the limits of a process.
  program(
    "EaselListenerProbe", at: "Tests/EaselListenerProbe", uses: "EaselCore EaselSupport EaselService EaselListener"),
  // A worker whose coders include one that misbehaves on command.
  program(
    "EaselSandboxWorker", at: "Tests/EaselSandboxWorker",
    uses: "EaselCore EaselSupport EaselEverything EaselMisbehaving"),
  module("EaselMisbehaving", at: "Tests/EaselMisbehaving", uses: "EaselCore"),
  // The targets of script/fuzz, and its short form, which runs with the other tests.
  module(
    "EaselFuzzing", at: "Fuzz/EaselFuzzing",
    uses: """
      EaselTransformers EaselCore EaselCoding EaselFormats EaselEverything \(modules(of: allFormats)) EaselSandbox EaselService
      EaselListener EaselRedis EaselWire EaselAzure EaselS3 EaselLinks EaselObserving EaselTiers
      """,
    tests: "EaselTestCorpus EaselTestSupport"),
  program(
    "EaselCacheSuite", at: "Tests/CacheSuite",
    uses: "EaselCore EaselTiers EaselCurl EaselDisk EaselMemory EaselTestServers EaselTestSupport",
    exclude: ["private-cache.json"]),
  program(
    "EaselFleetModel", at: "Tests/FleetModel",
    uses: "EaselCore EaselSupport EaselTiers EaselMemcached EaselRedis EaselS3 EaselTestSupport"),
]

// MARK: Benchmarks

// The libraries called directly.
let baselines: [[Target]] =
  [
    ("PNG", "png16"), ("JPEG", "jpeg"), ("GIF", "gif"), ("WebP", "webp webpdemux"), ("AVIF", "avif"), ("HEIF", "de265"),
    ("JXL", "jxl jxl_threads"), ("TIFF", "tiff"), ("SVG", "rsvg-2 cairo gobject-2.0"), ("Basic", ""), ("Curl", "curl"),
    ("Codec", "jpeg png16 webp gif"),
  ].map { c("CEasel\($0)Baseline", in: "Benchmarks", links: $1) } + [
    c("CEaselThumbnailBaseline", in: "Benchmarks", uses: "CEaselCodecBaseline", links: "jpeg png16 webp")
  ]

let benchmarks: [[Target]] = [
  module("EaselBenchmarkHarness", at: "Benchmarks/Harness", uses: "", tests: ""),
  // The counter of allocations replaces malloc, so only the program that script/bench runs may depend on it.
  c("CEaselBenchSupport", in: "Benchmarks"),
  program(
    "EaselBenchmarks", at: "Benchmarks/EaselBenchmarks",
    uses: """
      EaselBenchmarkHarness CEaselBenchSupport EaselCore EaselSupport EaselHTTP EaselTiers EaselManager EaselPixels
      EaselMemory EaselDisk CEaselDisk CEaselRecords \(modules(of: allFormats)) EaselCoding EaselCurl EaselRedis EaselTestServers
      Easel EaselEverything EaselObserving EaselService \(baselines.joined().map(\.name).joined(separator: " "))
      """),
  // A program as small as one can be that makes thumbnails: its memory is measured.
  program(
    "EaselLeanThumbnails", at: "Benchmarks/LeanThumbnails",
    uses: "EaselCore EaselJPEG EaselPNG EaselWebP EaselTIFF EaselAVIF EaselHEIF EaselJXL EaselBasic"),
]

// MARK: The package

let package = Package(
  name: "Easel",
  products: libraries(
    """
    EaselCore EaselManager EaselTiers EaselDisplay EaselPixels EaselColor EaselTransformers EaselCoding EaselSandbox
    \(modules(of: allFormats)) EaselLocal EaselCurl EaselLinks EaselAzure EaselS3 EaselMemory EaselDisk EaselRedis
    EaselMemcached EaselHelpers EaselObserving EaselService EaselListener EaselTerminal EaselGTK Easel EaselEverything
    EaselTestSupport EaselServiceTestSupport
    """) + [
      .executable(name: "easel", targets: ["EaselCLI"]),
      .library(name: "EaselFuzzing", type: .static, targets: ["EaselFuzzing"]),
    ],
  targets: [core, pixels, allFormats, coding, loaders, caches, programs, support, baselines, benchmarks]
    .flatMap { $0.flatMap { $0 } },
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

// A part of the package is built in a fraction of the time: the targets named, and what they need.
if let wanted = Context.environment["EASEL_TARGETS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var open = words(wanted)
  while let name = open.popLast() {
    guard let target = targets[name] else { fatalError("EASEL_TARGETS names \(name), which is no target.") }
    guard kept.insert(name).inserted else { continue }
    open += target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  // Tests of the program start it by the name of its product.
  package.products = kept.contains("EaselCLI") ? [.executable(name: "easel", targets: ["EaselCLI"])] : []
}

// MARK: Entries

/// The words of a text.
func words(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }

/// The dependencies that a text names.
func dependencies(_ names: String) -> [Target.Dependency] { words(names).map { .init(stringLiteral: $0) } }

/// Products with one module each, of the same name.
func libraries(_ names: String) -> [Product] { words(names).map { .library(name: $0, targets: [$0]) } }

/// The modules in Swift among targets, without their tests.
func modules(of targets: [[Target]]) -> String {
  targets.joined().map(\.name).filter { $0.hasPrefix("Easel") && !$0.hasSuffix("Tests") }.joined(separator: " ")
}

/// The tests of a module, in a folder of their own; all may use EaselTestTags.
func tests(_ name: String, uses: String, packageAccess: Bool = true) -> [Target] {
  [
    .testTarget(
      name: "\(name)Tests", dependencies: dependencies("\(uses) EaselTestTags"), path: "Tests/\(name)Tests",
      packageAccess: packageAccess)
  ]
}

/// C with names of our own, in a folder of that name, and the libraries that it links.
func c(
  _ name: String, in folder: String, uses: String = "", links: String = "", tests used: String? = nil
) -> [Target] {
  [
    .target(
      name: name, dependencies: dependencies(uses), path: "\(folder)/\(name)",
      linkerSettings: links.isEmpty ? nil : words(links).map { .linkedLibrary($0) })
  ] + (used.map { tests(name, uses: "\(name) \($0)") } ?? [])
}

/// A module in Swift, with C of its own beside it if libraries for that are named, and its tests.
///
/// These use the module, what it uses, and what is named here.
func module(
  _ name: String, at path: String, c libraries: String? = nil, uses: String, embeds: String = "",
  tests used: String? = nil
) -> [Target] {
  let own = libraries.map { c("C\(name)", in: path.replacing("/\(name)", with: ""), links: $0) } ?? []
  let uses = own.isEmpty ? uses : "\(uses) C\(name)"
  return own + [
    .target(
      name: name, dependencies: dependencies(uses), path: path,
      resources: embeds.isEmpty ? nil : words(embeds).map { .embedInCode($0) })
  ] + (used.map { tests(name, uses: "\(name) \(uses) \($0)") } ?? [])
}

/// A program, and its tests.
func program(
  _ name: String, at path: String, uses: String, exclude: [String] = [], embeds: String = "", tests used: String? = nil
) -> [Target] {
  [
    .executableTarget(
      name: name, dependencies: dependencies(uses), path: path, exclude: exclude,
      resources: embeds.isEmpty ? nil : words(embeds).map { .embedInCode($0) })
  ] + (used.map { tests(name, uses: "\(name) \(uses) \($0)") } ?? [])
}

/// A format: its coder, the C over the library that it stands on, and its tests.
func coder(_ format: String, library: String, uses: String = "", tests used: String = "") -> [Target] {
  c("CEasel\(format)", in: "Sources/Coders", uses: uses, links: library)
    + module(
      "Easel\(format)", at: "Sources/Coders/Easel\(format)",
      uses: "EaselCore EaselSupport EaselPixels EaselColor EaselCoding EaselFormats CEasel\(format)",
      tests: "CEaselColorFixtures EaselTestPixels EaselTestCorpus EaselTestSupport \(used)")
}
