// swift-tools-version: 6.2
import PackageDescription

// The table of the house. An entry is a module, often with the C that it stands on and with its tests; the functions at the
// end say what each kind of entry makes. Names of targets stand in one text, with blanks between them.

// MARK: Libraries of the system

// SwiftPM names the package that has one if it is missing. The pkg-config files of libavif, libjxl and hiredis define
// macros, about which SwiftPM warns, so their headers are looked for by the C code, which names the packages.
// That of librsvg has an option of the compiler, about which it warns too.
let systems: [Target] = [
  system("SystemLCMS", file: "lcms2", debian: "liblcms2-dev", fedora: "lcms2-devel"),
  system("SystemPNG", file: "libpng", debian: "libpng-dev", fedora: "libpng-devel"),
  system("SystemZlib", file: "zlib", debian: "zlib1g-dev", fedora: "zlib-devel"),
  system("SystemDeflate", file: "libdeflate", debian: "libdeflate-dev", fedora: "libdeflate-devel"),
  system("SystemISAL", file: "libisal", debian: "libisal-dev", fedora: "isa-l-devel"),
  system("SystemJPEG", file: "libjpeg", debian: "libjpeg-dev", fedora: "libjpeg-turbo-devel"),
  system("SystemGIF", file: "libgif", debian: "libgif-dev", fedora: "giflib-devel"),
  system("SystemWebP", file: "libwebp", debian: "libwebp-dev", fedora: "libwebp-devel"),
  system("SystemWebPDemux", file: "libwebpdemux", debian: "libwebp-dev", fedora: "libwebp-devel"),
  system("SystemDav1d", file: "dav1d", debian: "libdav1d-dev", fedora: "libdav1d-devel"),
  system("SystemDe265", file: "libde265", debian: "libde265-dev", fedora: "libde265-devel"),
  system("SystemTIFF", file: "libtiff-4", debian: "libtiff-dev", fedora: "libtiff-devel"),
  // The package of librsvg brings those of cairo and GObject.
  system("SystemCairo", file: "cairo", debian: "librsvg2-dev", fedora: "librsvg2-devel"),
  system("SystemGObject", file: "gobject-2.0", debian: "librsvg2-dev", fedora: "librsvg2-devel"),
  system("SystemFontconfig", file: "fontconfig", debian: "libfontconfig-dev", fedora: "fontconfig-devel"),
  system("SystemSQLite", file: "sqlite3", debian: "libsqlite3-dev", fedora: "sqlite-devel"),
  system("SystemOpenSSL", file: "openssl", debian: "libssl-dev", fedora: "openssl-devel"),
  system("SystemCurl", file: "libcurl", debian: "libcurl4-openssl-dev", fedora: "libcurl-devel"),
  system("SystemBrotli", file: "libbrotlidec", debian: "libbrotli-dev", fedora: "brotli-devel"),
  system("SystemZstd", file: "libzstd", debian: "libzstd-dev", fedora: "libzstd-devel"),
]

// MARK: The core, the manager, and what stands on it

// Arrows point to the names of dependencies alone: script/check arrows.
let core: [[Target]] = [
  module(
    "EaselSupport", at: "Sources/Support", uses: "",
    tests: "EaselCore EaselManager EaselTestStudio EaselTestSupport EaselTestTags"),
  module(
    "EaselCore", at: "Sources/Core", uses: "EaselSupport",
    tests: "EaselTestStudio EaselSupport EaselTestSupport EaselTestTags"),
  module(
    "EaselHTTP", at: "Sources/HTTP", uses: "EaselCore EaselSupport",
    tests: "EaselCore EaselSupport EaselTestSupport EaselTestTags"),
  module(
    "EaselWorkers", at: "Sources/Workers", uses: "EaselCore EaselSupport",
    tests: "EaselCore EaselTestStudio EaselSupport EaselTestSupport EaselTestTags"),
  module(
    "EaselTiers", at: "Sources/Caches/EaselTiers", uses: "EaselCore EaselSupport EaselWorkers",
    tests: "EaselCore EaselSupport EaselTestStudio EaselTestSupport EaselTestTags"),
  module(
    "EaselManager", at: "Sources/Manager", uses: "EaselCore EaselHTTP EaselSupport EaselTiers EaselWorkers",
    tests: "EaselCore EaselTestStudio EaselSupport EaselWorkers EaselTiers EaselTestSupport EaselTestTags"),
  module(
    "EaselDisplay", at: "Sources/Display", uses: "EaselCore EaselManager EaselSupport EaselWorkers",
    tests: "EaselCore EaselTestStudio EaselSupport EaselWorkers EaselManager EaselTestSupport EaselTestTags"),
  // Ready observers: metrics, logs, traces.
  module(
    "EaselObserving", at: "Sources/Observing", uses: "EaselCore EaselSupport",
    tests: "EaselCore EaselSupport EaselTiers EaselManager EaselTestSupport"),
]

// MARK: Pixels

let pixels: [[Target]] = [
  c("CEaselPixels", in: "Sources/Pixels", links: "m", tests: ""),
  module(
    "EaselPixels", at: "Sources/Pixels/EaselPixels", uses: "EaselCore EaselSupport CEaselPixels",
    tests: "EaselCore EaselSupport EaselTestPixels EaselTestTags"),
  c("CEaselColor", in: "Sources/Pixels", uses: "SystemLCMS", links: "m"),
  module(
    "EaselColor", at: "Sources/Pixels/EaselColor", uses: "EaselCore EaselSupport EaselPixels CEaselColor",
    tests: "CEaselColor EaselCore CEaselColorFixtures EaselTestPixels EaselTestTags"),
  module(
    "EaselTransformers", at: "Sources/Transformers", uses: "EaselCore EaselSupport EaselPixels EaselColor",
    tests: "EaselCore EaselSupport EaselPixels EaselTestPixels EaselTestTags"),
]

// MARK: Coders

// Formats that most people want, and the others. A new format is one line here.
let formats: [[Target]] = [
  coder(
    "PNG", library: "CEaselPixels SystemZlib SystemDeflate SystemISAL",
    tests: "EaselColor EaselSupport CEaselCodecBaseline EaselPNGProbe"),
  coder("JPEG", library: "CEaselPixels SystemJPEG", tests: "EaselTransformers"),
  coder("GIF", library: "SystemGIF"),
  coder(
    "WebP", library: "SystemWebP",
    tests: "EaselColor EaselSupport EaselTiers EaselManager EaselPNG CEaselWebPBaseline"),
  // Formats simple enough to be read and written without a library; icons hold PNGs.
  module(
    "EaselBasic", at: "Sources/Coders/EaselBasic",
    uses: "EaselCore CEaselPixels EaselPixels EaselColor EaselCoding EaselPNG",
    tests: """
      EaselColor EaselCore EaselPixels EaselPNG EaselCoding CEaselColorFixtures EaselTestPixels EaselTestCorpus
      EaselTestSupport EaselTestTags
      """),
]
let otherFormats: [[Target]] = [
  coder("AVIF", library: "CEaselPixels SystemDav1d", links: "avif", tests: "EaselManager EaselPNG"),
  coder("HEIF", library: "SystemDe265", tests: "EaselSupport"),
  coder("JXL", links: "jxl", tests: "EaselTiers EaselManager EaselPNG EaselJPEG"),
  coder("TIFF", library: "SystemTIFF", links: "m", tests: "EaselPNG"),
]
// Outside the umbrella, because librsvg brings many libraries along.
let drawings: [[Target]] = [
  c(
    "CEaselSVG", in: "Sources/Coders", uses: "SystemCairo SystemGObject SystemFontconfig SystemZlib",
    links: "rsvg-2 gio-2.0 pangocairo-1.0 pangoft2-1.0 pango-1.0 m"),
  module(
    "EaselSVG", at: "Sources/Coders/EaselSVG", uses: "EaselCore EaselPixels CEaselSVG",
    tests: "EaselCore CEaselSVG EaselPNG EaselTestPixels EaselTestCorpus EaselTestSupport EaselTestTags"),
]
let allFormats = formats + otherFormats + drawings

let coding: [[Target]] = [
  // The parts that all coders share: metadata blocks, delays, rows made smaller while they pass, the finish of a picture.
  // Its public part is for authors of coders.
  module(
    "EaselCoding", at: "Sources/Coders/Shared", uses: "EaselCore EaselSupport EaselPixels EaselColor",
    tests: "EaselColor EaselCore EaselSupport EaselPixels CEaselColorFixtures EaselTestPixels"),
  // Coders in processes that can do nothing but decode.
  c("CEaselSandbox", in: "Sources/Coders"),
  module(
    "EaselSandbox", at: "Sources/Coders/EaselSandbox", uses: "EaselCore EaselSupport CEaselSandbox",
    tests: """
      EaselCore EaselTiers EaselManager EaselPixels CEaselSandbox \(modules(of: allFormats)) EaselMemory EaselTestPixels
      EaselTestCorpus EaselTestSupport EaselSandboxWorker EaselMisbehaving EaselTestTags
      """),
]

// MARK: Loaders and caches

let loaders: [[Target]] = [
  module(
    "EaselLocal", at: "Sources/Loaders/EaselLocal", uses: "EaselCore EaselSupport EaselWorkers",
    tests: "EaselCore EaselSupport EaselWorkers EaselTiers EaselManager EaselTestSupport EaselTestTags"),
  c("CEaselCurl", in: "Sources/Loaders", uses: "SystemCurl SystemZlib SystemBrotli SystemZstd"),
  module(
    "EaselCurl", at: "Sources/Loaders/EaselCurl", uses: "EaselCore EaselSupport EaselHTTP EaselWorkers CEaselCurl",
    tests: """
      EaselCore EaselSupport EaselWorkers EaselManager CEaselCurl EaselTestSupport EaselTestServers EaselCurlChild
      EaselTestTags
      """),
  // Objects of S3: a loader, and a store for several machines.
  module(
    "EaselS3", at: "Sources/Loaders/EaselS3", uses: "EaselCore EaselSupport EaselCurl EaselRecords",
    tests: "EaselCore EaselSupport EaselRecords EaselTestSupport EaselTestServers EaselTestTags"),
]

let caches: [[Target]] = [
  c("CEaselMemory", in: "Sources/Caches"),
  module(
    "EaselMemory", at: "Sources/Caches/EaselMemory", uses: "EaselCore EaselSupport CEaselMemory",
    tests: "EaselCore EaselSupport EaselTestSupport"),
  // The form in which stores keep records.
  c("CEaselRecords", in: "Sources/Caches"),
  module(
    "EaselRecords", at: "Sources/Caches/EaselRecords", uses: "EaselCore CEaselRecords",
    tests: "EaselCore CEaselRecords EaselTestSupport"),
  c("CEaselDisk", in: "Sources/Caches", uses: "SystemSQLite"),
  module(
    "EaselDisk", at: "Sources/Caches/EaselDisk",
    uses: "EaselCore EaselSupport EaselWorkers EaselRecords CEaselRecords CEaselDisk",
    tests: """
      EaselCore EaselSupport EaselWorkers EaselTiers CEaselDisk CEaselRecords EaselTestSupport EaselDiskChild EaselTestTags
      """),
  // Connections to engines over sockets, for stores.
  c("CEaselWire", in: "Sources/Caches", uses: "SystemOpenSSL"),
  module("EaselWire", at: "Sources/Caches/EaselWire", uses: "EaselCore EaselSupport CEaselWire"),
  // Redis: a store for several machines, and claims among them.
  c("CEaselRedis", in: "Sources/Caches", links: "hiredis"),
  module(
    "EaselRedis", at: "Sources/Caches/EaselRedis",
    uses: "EaselCore EaselSupport EaselHTTP EaselWorkers EaselRecords EaselWire CEaselRedis",
    tests: "EaselCore EaselSupport EaselWire EaselRecords EaselTestSupport EaselTestServers EaselTestTags"),
  // Pictures and claims in memcached, for several machines.
  module(
    "EaselMemcached", at: "Sources/Caches/EaselMemcached",
    uses: "EaselCore EaselRecords EaselSupport EaselWire EaselWorkers",
    tests: "EaselCore EaselWire EaselTestSupport EaselTestServers EaselTestTags"),
]

// MARK: Everything in one import, the picture server and the program

let programs: [[Target]] = [
  module(
    "Easel", at: "Sources/Easel",
    uses: """
      EaselCore EaselWorkers EaselDisplay EaselSupport EaselTiers EaselManager EaselPixels EaselColor EaselTransformers
      EaselObserving EaselMemory EaselDisk EaselCurl EaselLocal EaselSandbox \(modules(of: formats + otherFormats))
      """),
  // Sees only what users see, because it compiles the snippets of the pages.
  tests(
    "Easel", uses: "EaselCore Easel EaselCoding EaselRedis EaselS3 EaselTestSupport EaselTestTags",
    packageAccess: false),

  // The picture server as a function, and the listener of `easel serve`, which knows nothing of pictures.
  // It needs OpenSSL whatever the traits are. If that were a system library, SwiftPM would ask everyone for it who
  // depends on Easel.
  c("CEaselService", in: "Sources/Service", links: "crypto"),
  // The heap of a program that owns its process.
  c("CEaselHeap", in: "Sources/Service"),
  module(
    "EaselService", at: "Sources/Service/EaselService",
    uses: """
      EaselCore EaselHTTP EaselManager EaselObserving EaselPixels EaselSupport EaselTiers EaselTransformers EaselWorkers
      CEaselService
      """,
    // Bytes of the program itself, so that it stays one file.
    embeds: "Playground/Page/playground.html Playground/Page/playground.css Playground/Page/playground.js",
    tests: """
      EaselCore EaselSupport EaselTiers EaselManager EaselTransformers EaselObserving EaselPNG EaselJPEG EaselWebP
      EaselMemory EaselTestSupport EaselTestPixels EaselTestTags
      """),
  c("CEaselListener", in: "Sources/Service"),
  module(
    "EaselListener", at: "Sources/Service/EaselListener", uses: "EaselCore EaselSupport EaselService CEaselListener",
    tests: "EaselCore EaselSupport CEaselListener EaselService EaselTestSupport EaselListenerProbe EaselTestTags"),

  // Pictures in a terminal, and the program.
  module(
    "EaselTerminal", at: "Sources/Terminal", uses: "EaselCore EaselSupport EaselPixels", tests: "EaselCore"),
  program(
    "EaselCLI", at: "Sources/CLI",
    // The C targets tell the versions of the libraries.
    uses: """
      EaselCore EaselObserving EaselPixels EaselSupport EaselWorkers Easel EaselSVG EaselService EaselListener
      EaselTerminal EaselRedis EaselMemcached EaselS3
      \(bindings(of: allFormats)) CEaselColor CEaselDisk CEaselCurl CEaselHeap
      """,
    embeds: "VERSION",
    tests: """
      EaselCore EaselSupport EaselTerminal Easel EaselSVG EaselService CEaselDisk CEaselHeap EaselTestSupport
      EaselTestCorpus EaselTestPixels EaselTestServers EaselTestTags
      """),
]

// MARK: What tests use

let support: [[Target]] = [
  // Fakes and contracts for whoever writes a plug-in.
  module(
    "EaselTestSupport", at: "Tests/Support", uses: "EaselCore EaselSupport EaselTiers EaselManager",
    tests: "EaselCore EaselSupport EaselTiers EaselManager EaselTestTags"),
  // A manager made of fakes, for the tests of the manager and of what stands on it.
  module(
    "EaselTestStudio", at: "Tests/Studio",
    uses: "EaselCore EaselSupport EaselWorkers EaselTiers EaselManager EaselTestSupport"),
  // The tag of tests that run alone.
  module("EaselTestTags", at: "Tests/Tags", uses: ""),
  // Real servers on loopback: nginx, httpbin.
  module(
    "EaselTestServers", at: "Tests/Servers", uses: "EaselCore EaselSupport EaselManager EaselTestSupport",
    tests: "EaselCore EaselSupport EaselTiers EaselTestSupport EaselTestTags"),
  // Pictures made of numbers, for the tests of whatever works on pixels.
  module(
    "EaselTestPixels", at: "Tests/EaselTestPixels", uses: "EaselCore EaselSupport EaselManager EaselPixels"),
  c("CEaselColorFixtures", in: "Tests", uses: "SystemLCMS"),
  // Pictures nobody here wrote, and what each must give.
  c("CEaselTestCorpus", in: "Tests/Corpus", uses: "SystemOpenSSL"),
  module(
    "EaselTestCorpus", at: "Tests/Corpus/EaselTestCorpus", uses: "EaselCore EaselManager CEaselTestCorpus"),
  // What script/check corpus runs.
  program(
    "EaselCorpusTable", at: "Tests/Corpus/EaselCorpusTable",
    uses: "EaselCore \(modules(of: allFormats)) EaselSandbox EaselTestCorpus"),

  // The stores under the cache and the manager that use them.
  tests(
    "EaselCache",
    uses: """
      EaselCore EaselSupport EaselTiers EaselManager EaselMemory EaselDisk EaselTestSupport EaselMemoryChild EaselTestTags
      """),
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
    uses: "EaselCore EaselSupport EaselSandbox \(modules(of: allFormats)) EaselMisbehaving"),
  module("EaselMisbehaving", at: "Tests/EaselMisbehaving", uses: "EaselCore"),

  // What script/fuzz drives, and its short form, which runs with the other tests.
  module(
    "EaselFuzzing", at: "Fuzz/EaselFuzzing",
    uses: """
      EaselTransformers EaselCore EaselCoding \(modules(of: allFormats)) EaselSandbox EaselService EaselListener EaselRedis EaselWire
      """,
    tests: "EaselTestCorpus EaselTestSupport"),
  // What script/check http-cache runs.
  program(
    "EaselCacheSuite", at: "Tests/CacheSuite",
    uses: "EaselCore EaselTiers EaselCurl EaselDisk EaselMemory EaselTestServers EaselTestSupport",
    exclude: ["private-cache.json"]),
  // The program of script/fleet model.
  program(
    "EaselFleetModel", at: "Tests/FleetModel",
    uses: "EaselCore EaselSupport EaselTiers EaselMemcached EaselRedis EaselS3 EaselTestSupport"),
]

// MARK: Benchmarks

// What script/bench runs. The counter of allocations replaces malloc, so only the program may depend on it.
let benchmarks: [[Target]] = [
  module("EaselBenchmarkHarness", at: "Benchmarks/Harness", uses: "", tests: ""),
  c("CEaselPNGBaseline", in: "Benchmarks", uses: "SystemPNG"),
  c("CEaselGIFBaseline", in: "Benchmarks", uses: "SystemGIF"),
  c("CEaselJPEGBaseline", in: "Benchmarks", uses: "SystemJPEG"),
  c("CEaselWebPBaseline", in: "Benchmarks", uses: "SystemWebP SystemWebPDemux"),
  c("CEaselAVIFBaseline", in: "Benchmarks", links: "avif"),
  c("CEaselTIFFBaseline", in: "Benchmarks", uses: "SystemTIFF"),
  c("CEaselHEIFBaseline", in: "Benchmarks", uses: "SystemDe265"),
  c("CEaselJXLBaseline", in: "Benchmarks", links: "jxl jxl_threads"),
  c("CEaselBasicBaseline", in: "Benchmarks"),
  c("CEaselSVGBaseline", in: "Benchmarks", uses: "SystemCairo SystemGObject", links: "rsvg-2 gio-2.0"),
  c("CEaselCurlBaseline", in: "Benchmarks", uses: "SystemCurl"),
  c("CEaselThumbnailBaseline", in: "Benchmarks", uses: "CEaselCodecBaseline SystemJPEG SystemPNG SystemWebP"),
  c("CEaselCodecBaseline", in: "Benchmarks", uses: "SystemJPEG SystemPNG SystemWebP SystemGIF"),
  c("CEaselBenchSupport", in: "Benchmarks"),
  program(
    "EaselBenchmarks", at: "Benchmarks/EaselBenchmarks",
    uses: """
      EaselBenchmarkHarness CEaselBenchSupport EaselCore EaselSupport EaselTiers EaselManager EaselPixels EaselMemory
      EaselDisk CEaselDisk CEaselRecords \(modules(of: allFormats)) EaselCoding EaselCurl EaselRedis EaselTestServers Easel
      CEaselPNGBaseline CEaselGIFBaseline CEaselJPEGBaseline CEaselWebPBaseline CEaselAVIFBaseline CEaselTIFFBaseline
      CEaselHEIFBaseline CEaselJXLBaseline CEaselSVGBaseline CEaselBasicBaseline CEaselCurlBaseline
      CEaselThumbnailBaseline CEaselCodecBaseline
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
    \(modules(of: allFormats)) EaselLocal EaselCurl EaselS3 EaselMemory EaselDisk EaselRedis EaselMemcached
    EaselObserving EaselService EaselTerminal Easel EaselTestSupport
    """) + [
      .executable(name: "easel", targets: ["EaselCLI"]),
      .library(name: "EaselFuzzing", type: .static, targets: ["EaselFuzzing"]),
    ],
  traits: [
    .default(enabledTraits: ["AVIF", "Curl", "Disk", "GIF", "HEIF", "JPEG", "JXL", "Sharing", "SVG", "TIFF", "WebP"]),
    .trait(name: "AVIF", description: "AVIF, with libavif and dav1d."),
    .trait(name: "Curl", description: "http, https and s3, with libcurl."),
    .trait(name: "Disk", description: "The disk cache, with SQLite."),
    .trait(name: "GIF", description: "GIF, with giflib."),
    .trait(name: "HEIF", description: "HEIC, with libde265."),
    .trait(name: "JPEG", description: "JPEG, with libjpeg-turbo."),
    .trait(name: "JXL", description: "JPEG XL, with libjxl."),
    .trait(name: "Sharing", description: "Redis and memcached, with OpenSSL."),
    .trait(name: "SVG", description: "SVG, with cairo."),
    .trait(name: "TIFF", description: "TIFF, with libtiff."),
    .trait(name: "WebP", description: "WebP, with libwebp."),
  ],
  targets: systems
    + (core + pixels + allFormats + coding + loaders + caches + programs + support + benchmarks).flatMap { $0 },
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

// A dependent that switches a trait off needs neither the C library nor, in the umbrella, the module. SwiftPM also stops
// asking for a library that no target needs.
let traits = [
  "SystemJPEG": "JPEG", "SystemGIF": "GIF", "SystemWebP": "WebP", "SystemWebPDemux": "WebP", "SystemDav1d": "AVIF",
  "SystemDe265": "HEIF", "SystemTIFF": "TIFF", "SystemCairo": "SVG", "SystemGObject": "SVG", "SystemFontconfig": "SVG",
  "SystemSQLite": "Disk", "SystemOpenSSL": "Sharing", "SystemCurl": "Curl", "SystemBrotli": "Curl",
  "SystemZstd": "Curl",
]
let traitsOfUmbrella = [
  "EaselJPEG": "JPEG", "EaselGIF": "GIF", "EaselWebP": "WebP", "EaselAVIF": "AVIF", "EaselHEIF": "HEIF",
  "EaselJXL": "JXL", "EaselTIFF": "TIFF", "EaselDisk": "Disk", "EaselCurl": "Curl",
]
for target in package.targets {
  target.dependencies = target.dependencies.map { dependency in
    guard case .byNameItem(let name, nil) = dependency else { return dependency }
    let trait = traits[name] ?? (target.name == "Easel" ? traitsOfUmbrella[name] : nil)
    return trait.map { .target(name: name, condition: .when(traits: [$0])) } ?? dependency
  }
}

// A part of the package is built in a fraction of the time: the targets named, and what they need.
if let wanted = Context.environment["EASEL_TARGETS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var open = wanted.split(separator: " ").map(String.init)
  while let name = open.popLast() {
    guard let target = targets[name] else { fatalError("EASEL_TARGETS names \(name), which is no target.") }
    guard kept.insert(name).inserted else { continue }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  // Tests of the program start it by the name of its product.
  package.products = kept.contains("EaselCLI") ? [.executable(name: "easel", targets: ["EaselCLI"])] : []
}

// MARK: Entries

/// The words of a text.
func words(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }

/// Products with one module each, of the same name.
func libraries(_ names: String) -> [Product] { words(names).map { .library(name: $0, targets: [$0]) } }

/// The modules in Swift among targets, without their tests.
func modules(of targets: [[Target]]) -> String {
  targets.joined().map(\.name).filter { $0.hasPrefix("Easel") && !$0.hasSuffix("Tests") }.joined(separator: " ")
}

/// The C among targets.
func bindings(of targets: [[Target]]) -> String {
  targets.joined().map(\.name).filter { $0.hasPrefix("CEasel") }.joined(separator: " ")
}

/// A library of the system, whose pkg-config file and packages have these names.
func system(_ name: String, file: String, debian: String, fedora: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: file, providers: [.apt([debian]), .yum([fedora])])
}

/// The tests of a module, in a folder of their own.
func tests(_ name: String, uses: String, packageAccess: Bool = true) -> [Target] {
  [
    .testTarget(
      name: "\(name)Tests", dependencies: words(uses).map { .init(stringLiteral: $0) }, path: "Tests/\(name)Tests",
      packageAccess: packageAccess)
  ]
}

/// C with names of our own, in a folder of that name, and the libraries that it links.
func c(
  _ name: String, in folder: String, uses: String = "", links: String = "", tests used: String? = nil
) -> [Target] {
  [
    .target(
      name: name, dependencies: words(uses).map { .init(stringLiteral: $0) }, path: "\(folder)/\(name)",
      linkerSettings: links.isEmpty ? nil : words(links).map { .linkedLibrary($0) })
  ] + (used.map { tests(name, uses: "\(name) \($0)") } ?? [])
}

/// A module in Swift, and its tests, which use the module and what is named here.
func module(
  _ name: String, at path: String, uses: String, embeds: String = "", tests used: String? = nil
) -> [Target] {
  [
    .target(
      name: name, dependencies: words(uses).map { .init(stringLiteral: $0) }, path: path,
      resources: embeds.isEmpty ? nil : words(embeds).map { .embedInCode($0) })
  ] + (used.map { tests(name, uses: "\(name) \($0)") } ?? [])
}

/// A program, and its tests.
func program(
  _ name: String, at path: String, uses: String, exclude: [String] = [], embeds: String = "", tests used: String? = nil
) -> [Target] {
  [
    .executableTarget(
      name: name, dependencies: words(uses).map { .init(stringLiteral: $0) }, path: path, exclude: exclude,
      resources: embeds.isEmpty ? nil : words(embeds).map { .embedInCode($0) })
  ] + (used.map { tests(name, uses: "\(name) \($0)") } ?? [])
}

/// A format: its coder, the C over the library that it stands on, and its tests.
func coder(_ format: String, library: String = "", links: String = "", tests used: String = "") -> [Target] {
  c("CEasel\(format)", in: "Sources/Coders", uses: library, links: links)
    + module(
      "Easel\(format)", at: "Sources/Coders/Easel\(format)",
      uses: "EaselCore EaselSupport EaselPixels EaselColor EaselCoding CEasel\(format)",
      tests: """
        EaselCore EaselPixels EaselCoding CEasel\(format) CEaselColorFixtures EaselTestPixels EaselTestCorpus EaselTestSupport
        EaselTestTags \(used)
        """)
}
