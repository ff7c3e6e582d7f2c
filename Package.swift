// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Easel",
  products: [
    .library(name: "EaselCore", targets: ["EaselCore"]),
    .library(name: "EaselManager", targets: ["EaselManager"]),
    .library(name: "EaselTiers", targets: ["EaselTiers"]),
    .library(name: "EaselDisplay", targets: ["EaselDisplay"]),
    .library(name: "EaselPixels", targets: ["EaselPixels"]),
    .library(name: "EaselColor", targets: ["EaselColor"]),
    .library(name: "EaselTransformers", targets: ["EaselTransformers"]),
    .library(name: "EaselPNG", targets: ["EaselPNG"]),
    .library(name: "EaselJPEG", targets: ["EaselJPEG"]),
    .library(name: "EaselLocal", targets: ["EaselLocal"]),
    .library(name: "EaselGIF", targets: ["EaselGIF"]),
    .library(name: "EaselWebP", targets: ["EaselWebP"]),
    .library(name: "EaselAVIF", targets: ["EaselAVIF"]),
    .library(name: "EaselHEIF", targets: ["EaselHEIF"]),
    .library(name: "EaselJXL", targets: ["EaselJXL"]),
    .library(name: "EaselTIFF", targets: ["EaselTIFF"]),
    .library(name: "EaselBasic", targets: ["EaselBasic"]),
    .library(name: "EaselSVG", targets: ["EaselSVG"]),
    .library(name: "EaselCoding", targets: ["EaselCoding"]),
    .library(name: "EaselSandbox", targets: ["EaselSandbox"]),
    .library(name: "EaselMemory", targets: ["EaselMemory"]),
    .library(name: "EaselDisk", targets: ["EaselDisk"]),
    .library(name: "EaselCurl", targets: ["EaselCurl"]),
    .library(name: "EaselObserving", targets: ["EaselObserving"]),
    .library(name: "EaselS3", targets: ["EaselS3"]),
    .library(name: "EaselRedis", targets: ["EaselRedis"]),
    .library(name: "EaselMemcached", targets: ["EaselMemcached"]),
    .library(name: "Easel", targets: ["Easel"]),
    .library(name: "EaselService", targets: ["EaselService"]),
    .library(name: "EaselTerminal", targets: ["EaselTerminal"]),
    .executable(name: "easel", targets: ["EaselCLI"]),
    .library(name: "EaselFuzzing", type: .static, targets: ["EaselFuzzing"]),
    .library(name: "EaselTestSupport", targets: ["EaselTestSupport"]),
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
  targets: [
    // The C libraries. SwiftPM names the package that has one if it is missing. The pkg-config files of libavif, libjxl
    // and hiredis define macros, about which SwiftPM warns, so their headers are looked for by the C code, which names
    // the packages.
    // That of librsvg has an option of the compiler, about which it warns too.
    .systemLibrary(
      name: "SystemLCMS", path: "Sources/System/SystemLCMS", pkgConfig: "lcms2",
      providers: [.apt(["liblcms2-dev"]), .yum(["lcms2-devel"])]),
    .systemLibrary(
      name: "SystemPNG", path: "Sources/System/SystemPNG", pkgConfig: "libpng",
      providers: [.apt(["libpng-dev"]), .yum(["libpng-devel"])]),
    .systemLibrary(
      name: "SystemZlib", path: "Sources/System/SystemZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"])]),
    .systemLibrary(
      name: "SystemDeflate", path: "Sources/System/SystemDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"]), .yum(["libdeflate-devel"])]),
    .systemLibrary(
      name: "SystemISAL", path: "Sources/System/SystemISAL", pkgConfig: "libisal",
      providers: [.apt(["libisal-dev"]), .yum(["isa-l-devel"])]),
    .systemLibrary(
      name: "SystemJPEG", path: "Sources/System/SystemJPEG", pkgConfig: "libjpeg",
      providers: [.apt(["libjpeg-dev"]), .yum(["libjpeg-turbo-devel"])]),
    .systemLibrary(
      name: "SystemGIF", path: "Sources/System/SystemGIF", pkgConfig: "libgif",
      providers: [.apt(["libgif-dev"]), .yum(["giflib-devel"])]),
    .systemLibrary(
      name: "SystemWebP", path: "Sources/System/SystemWebP", pkgConfig: "libwebp",
      providers: [.apt(["libwebp-dev"]), .yum(["libwebp-devel"])]),
    .systemLibrary(
      name: "SystemWebPDemux", path: "Sources/System/SystemWebPDemux", pkgConfig: "libwebpdemux",
      providers: [.apt(["libwebp-dev"]), .yum(["libwebp-devel"])]),
    .systemLibrary(
      name: "SystemDav1d", path: "Sources/System/SystemDav1d", pkgConfig: "dav1d",
      providers: [.apt(["libdav1d-dev"]), .yum(["libdav1d-devel"])]),
    .systemLibrary(
      name: "SystemDe265", path: "Sources/System/SystemDe265", pkgConfig: "libde265",
      providers: [.apt(["libde265-dev"]), .yum(["libde265-devel"])]),
    .systemLibrary(
      name: "SystemTIFF", path: "Sources/System/SystemTIFF", pkgConfig: "libtiff-4",
      providers: [.apt(["libtiff-dev"]), .yum(["libtiff-devel"])]),
    // The package of librsvg brings those of cairo and GObject.
    .systemLibrary(
      name: "SystemCairo", path: "Sources/System/SystemCairo", pkgConfig: "cairo",
      providers: [.apt(["librsvg2-dev"]), .yum(["librsvg2-devel"])]),
    .systemLibrary(
      name: "SystemGObject", path: "Sources/System/SystemGObject", pkgConfig: "gobject-2.0",
      providers: [.apt(["librsvg2-dev"]), .yum(["librsvg2-devel"])]),
    .systemLibrary(
      name: "SystemFontconfig", path: "Sources/System/SystemFontconfig", pkgConfig: "fontconfig",
      providers: [.apt(["libfontconfig-dev"]), .yum(["fontconfig-devel"])]),
    .systemLibrary(
      name: "SystemSQLite", path: "Sources/System/SystemSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]),
    .systemLibrary(
      name: "SystemOpenSSL", path: "Sources/System/SystemOpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"])]),
    .systemLibrary(
      name: "SystemCurl", path: "Sources/System/SystemCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .yum(["libcurl-devel"])]),
    .systemLibrary(
      name: "SystemBrotli", path: "Sources/System/SystemBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .yum(["brotli-devel"])]),
    .systemLibrary(
      name: "SystemZstd", path: "Sources/System/SystemZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .yum(["libzstd-devel"])]),

    // The small core and what it stands on, and the manager that carries it out. Arrows point to the names of
    // dependencies alone: script/check arrows.
    .target(name: "EaselSupport", path: "Sources/Support"),
    .target(name: "EaselCore", dependencies: ["EaselSupport"], path: "Sources/Core"),
    .target(name: "EaselHTTP", dependencies: ["EaselCore", "EaselSupport"], path: "Sources/HTTP"),
    .target(name: "EaselWorkers", dependencies: ["EaselCore", "EaselSupport"], path: "Sources/Workers"),
    .target(
      name: "EaselTiers",
      dependencies: ["EaselCore", "EaselSupport", "EaselWorkers"],
      path: "Sources/Caches/EaselTiers"
    ),
    .target(
      name: "EaselManager",
      dependencies: ["EaselCore", "EaselHTTP", "EaselSupport", "EaselTiers", "EaselWorkers"],
      path: "Sources/Manager"
    ),
    .target(
      name: "EaselDisplay",
      dependencies: ["EaselCore", "EaselManager", "EaselSupport", "EaselWorkers"],
      path: "Sources/Display"
    ),
    .testTarget(
      name: "EaselSupportTests",
      dependencies: [
        "EaselCore", "EaselManager", "EaselTestStudio", "EaselSupport", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselSupportTests"
    ),
    .testTarget(
      name: "EaselCoreTests",
      dependencies: ["EaselCore", "EaselTestStudio", "EaselSupport", "EaselTestSupport", "EaselTestTags"],
      path: "Tests/EaselCoreTests"
    ),
    .testTarget(
      name: "EaselHTTPTests",
      dependencies: ["EaselCore", "EaselSupport", "EaselHTTP", "EaselTestSupport", "EaselTestTags"],
      path: "Tests/EaselHTTPTests"
    ),
    .testTarget(
      name: "EaselWorkersTests",
      dependencies: [
        "EaselCore", "EaselTestStudio", "EaselSupport", "EaselWorkers", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselWorkersTests"
    ),
    .testTarget(
      name: "EaselTiersTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTiers", "EaselTestStudio", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselTiersTests"
    ),
    .testTarget(
      name: "EaselManagerTests",
      dependencies: [
        "EaselCore", "EaselTestStudio", "EaselSupport", "EaselWorkers", "EaselTiers", "EaselManager",
        "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselManagerTests"
    ),
    .testTarget(
      name: "EaselDisplayTests",
      dependencies: [
        "EaselCore", "EaselTestStudio", "EaselSupport", "EaselWorkers", "EaselManager", "EaselDisplay",
        "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselDisplayTests"
    ),

    .target(
      name: "CEaselPixels",
      path: "Sources/Pixels/CEaselPixels",
      linkerSettings: [.linkedLibrary("m")]
    ),
    .testTarget(name: "CEaselPixelsTests", dependencies: ["CEaselPixels"], path: "Tests/CEaselPixelsTests"),
    .target(
      name: "EaselPixels",
      dependencies: ["EaselCore", "EaselSupport", "CEaselPixels"],
      path: "Sources/Pixels/EaselPixels"
    ),
    .testTarget(
      name: "EaselPixelsTests",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselTestPixels", "EaselTestTags"],
      path: "Tests/EaselPixelsTests"
    ),

    .target(
      name: "CEaselColor",
      dependencies: ["SystemLCMS"],
      path: "Sources/Pixels/CEaselColor",
      linkerSettings: [.linkedLibrary("m")]
    ),
    .target(
      name: "EaselColor",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "CEaselColor"],
      path: "Sources/Pixels/EaselColor"
    ),
    .target(
      name: "CEaselColorFixtures",
      dependencies: ["SystemLCMS"],
      path: "Tests/CEaselColorFixtures"
    ),
    .testTarget(
      name: "EaselColorTests",
      dependencies: [
        "CEaselColor", "EaselCore", "EaselColor", "CEaselColorFixtures", "EaselTestPixels", "EaselTestTags",
      ],
      path: "Tests/EaselColorTests"
    ),

    .target(
      name: "EaselTransformers",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor"],
      path: "Sources/Transformers"
    ),
    .testTarget(
      name: "EaselTransformersTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselPixels", "EaselTransformers", "EaselTestPixels", "EaselTestTags",
      ],
      path: "Tests/EaselTransformersTests"
    ),

    // The parts that all coders share: metadata blocks, delays, rows made smaller while they pass, the finish of a
    // picture. Its public part is for authors of coders.
    .target(
      name: "EaselCoding",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor"],
      path: "Sources/Coders/Shared"
    ),
    .testTarget(
      name: "EaselCodingTests",
      dependencies: [
        "EaselColor", "EaselCore", "EaselSupport", "EaselPixels", "EaselCoding", "CEaselColorFixtures",
        "EaselTestPixels",
      ],
      path: "Tests/EaselCodingTests"
    ),

    .target(
      name: "CEaselPNG",
      dependencies: ["CEaselPixels", "SystemZlib", "SystemDeflate", "SystemISAL"],
      path: "Sources/Coders/CEaselPNG"
    ),
    .target(
      name: "EaselPNG",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselPNG"],
      path: "Sources/Coders/EaselPNG"
    ),
    .testTarget(
      name: "EaselPNGTests",
      dependencies: [
        "EaselColor", "EaselCore", "EaselSupport", "EaselPixels", "EaselPNG", "EaselCoding", "CEaselPNG",
        "CEaselCodecBaseline", "CEaselColorFixtures", "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport",
        "EaselPNGProbe", "EaselTestTags",
      ],
      path: "Tests/EaselPNGTests"
    ),
    // A process whose memory the tests look at.
    .executableTarget(
      name: "EaselPNGProbe",
      dependencies: ["EaselCore", "EaselPNG"],
      path: "Tests/EaselPNGProbe"
    ),

    .target(
      name: "CEaselJPEG",
      dependencies: ["CEaselPixels", "SystemJPEG"],
      path: "Sources/Coders/CEaselJPEG"
    ),
    .target(
      name: "EaselJPEG",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselJPEG"],
      path: "Sources/Coders/EaselJPEG"
    ),
    .testTarget(
      name: "EaselJPEGTests",
      dependencies: [
        "EaselCore", "EaselPixels",
        "EaselJPEG", "CEaselJPEG", "EaselCoding", "EaselTransformers", "CEaselColorFixtures", "EaselTestPixels",
        "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselJPEGTests"
    ),

    .target(
      name: "CEaselGIF",
      dependencies: ["SystemGIF"],
      path: "Sources/Coders/CEaselGIF"
    ),
    .target(
      name: "EaselGIF",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselGIF"],
      path: "Sources/Coders/EaselGIF"
    ),
    .testTarget(
      name: "EaselGIFTests",
      dependencies: [
        "EaselCore", "EaselPixels",
        "EaselGIF", "EaselCoding", "CEaselGIF", "CEaselColorFixtures", "EaselTestPixels", "EaselTestCorpus",
        "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselGIFTests"
    ),

    .target(
      name: "CEaselWebP",
      dependencies: ["SystemWebP"],
      path: "Sources/Coders/CEaselWebP"
    ),
    .target(
      name: "EaselWebP",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselWebP"],
      path: "Sources/Coders/EaselWebP"
    ),
    .testTarget(
      name: "EaselWebPTests",
      dependencies: [
        "EaselColor", "EaselCore", "EaselSupport", "EaselTiers", "EaselManager", "EaselPixels", "EaselWebP",
        "CEaselWebP", "EaselPNG", "EaselCoding", "CEaselWebPBaseline", "CEaselColorFixtures", "EaselTestPixels",
        "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselWebPTests"
    ),

    .target(
      name: "CEaselAVIF",
      dependencies: ["CEaselPixels", "SystemDav1d"],
      path: "Sources/Coders/CEaselAVIF",
      linkerSettings: [.linkedLibrary("avif")]
    ),
    .target(
      name: "EaselAVIF",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselAVIF"],
      path: "Sources/Coders/EaselAVIF"
    ),
    .testTarget(
      name: "EaselAVIFTests",
      dependencies: [
        "EaselCore", "EaselManager", "EaselPixels", "EaselAVIF", "CEaselAVIF", "EaselPNG", "EaselCoding",
        "CEaselColorFixtures", "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselAVIFTests"
    ),

    .target(
      name: "CEaselHEIF",
      dependencies: ["SystemDe265"],
      path: "Sources/Coders/CEaselHEIF"
    ),
    .target(
      name: "EaselHEIF",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselHEIF"],
      path: "Sources/Coders/EaselHEIF"
    ),
    .testTarget(
      name: "EaselHEIFTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselPixels", "EaselHEIF", "CEaselHEIF", "CEaselColorFixtures", "EaselCoding",
        "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselHEIFTests"
    ),

    .target(
      name: "CEaselJXL",
      path: "Sources/Coders/CEaselJXL",
      linkerSettings: [.linkedLibrary("jxl")]
    ),
    .target(
      name: "EaselJXL",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselJXL"],
      path: "Sources/Coders/EaselJXL"
    ),
    .testTarget(
      name: "EaselJXLTests",
      dependencies: [
        "EaselCore", "EaselTiers", "EaselManager", "EaselPixels", "EaselJXL", "CEaselJXL", "EaselPNG", "EaselJPEG",
        "EaselCoding", "CEaselColorFixtures", "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselJXLTests"
    ),

    .target(
      name: "CEaselTIFF",
      dependencies: ["SystemTIFF"],
      path: "Sources/Coders/CEaselTIFF",
      linkerSettings: [.linkedLibrary("m")]
    ),
    .target(
      name: "EaselTIFF",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels", "EaselColor", "EaselCoding", "CEaselTIFF"],
      path: "Sources/Coders/EaselTIFF"
    ),
    .testTarget(
      name: "EaselTIFFTests",
      dependencies: [
        "EaselCore", "EaselPixels",
        "EaselTIFF", "CEaselTIFF", "EaselPNG", "EaselCoding", "CEaselColorFixtures", "EaselTestPixels",
        "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselTIFFTests"
    ),

    // Formats simple enough to be read and written without a library; icons hold PNGs.
    .target(
      name: "EaselBasic",
      dependencies: ["EaselCore", "CEaselPixels", "EaselPixels", "EaselColor", "EaselCoding", "EaselPNG"],
      path: "Sources/Coders/EaselBasic"
    ),
    .testTarget(
      name: "EaselBasicTests",
      dependencies: [
        "EaselColor", "EaselCore", "EaselPixels",
        "EaselBasic", "EaselPNG", "EaselCoding", "CEaselColorFixtures", "EaselTestPixels", "EaselTestCorpus",
        "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselBasicTests"
    ),

    // Outside the umbrella, because librsvg brings many libraries along.
    .target(
      name: "CEaselSVG",
      dependencies: ["SystemCairo", "SystemGObject", "SystemFontconfig", "SystemZlib"],
      path: "Sources/Coders/CEaselSVG",
      linkerSettings: [
        .linkedLibrary("rsvg-2"), .linkedLibrary("gio-2.0"), .linkedLibrary("pangocairo-1.0"),
        .linkedLibrary("pangoft2-1.0"), .linkedLibrary("pango-1.0"), .linkedLibrary("m"),
      ]
    ),
    .target(
      name: "EaselSVG",
      dependencies: ["EaselCore", "EaselPixels", "CEaselSVG"],
      path: "Sources/Coders/EaselSVG"
    ),
    .testTarget(
      name: "EaselSVGTests",
      dependencies: [
        "EaselCore",
        "EaselSVG", "CEaselSVG", "EaselPNG", "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselSVGTests"
    ),

    // Coders in processes that can do nothing but decode.
    .target(name: "CEaselSandbox", path: "Sources/Coders/CEaselSandbox"),
    .target(
      name: "EaselSandbox",
      dependencies: ["EaselCore", "EaselSupport", "CEaselSandbox"],
      path: "Sources/Coders/EaselSandbox"
    ),
    .testTarget(
      name: "EaselSandboxTests",
      dependencies: [
        "EaselCore", "EaselTiers", "EaselManager", "EaselPixels", "EaselSandbox", "CEaselSandbox", "EaselPNG",
        "EaselJPEG", "EaselGIF", "EaselWebP", "EaselAVIF", "EaselHEIF", "EaselJXL", "EaselTIFF", "EaselBasic",
        "EaselSVG", "EaselMemory", "EaselTestPixels", "EaselTestCorpus", "EaselTestSupport", "EaselSandboxWorker",
        "EaselMisbehaving", "EaselTestTags",
      ],
      path: "Tests/EaselSandboxTests"
    ),
    // A worker whose coders include one that misbehaves on command.
    .executableTarget(
      name: "EaselSandboxWorker",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselSandbox", "EaselPNG", "EaselJPEG", "EaselGIF", "EaselWebP", "EaselAVIF",
        "EaselHEIF", "EaselJXL", "EaselTIFF", "EaselBasic", "EaselSVG", "EaselMisbehaving",
      ],
      path: "Tests/EaselSandboxWorker"
    ),
    .target(name: "EaselMisbehaving", dependencies: ["EaselCore"], path: "Tests/EaselMisbehaving"),

    // What script/fuzz drives.
    .target(
      name: "EaselFuzzing",
      dependencies: [
        "EaselTransformers",
        "EaselCore", "EaselCoding", "EaselPNG", "EaselJPEG", "EaselGIF", "EaselWebP", "EaselAVIF", "EaselHEIF",
        "EaselJXL", "EaselTIFF", "EaselBasic", "EaselSVG", "EaselSandbox", "EaselService", "EaselListener",
        "EaselRedis",
        "EaselWire",
      ],
      path: "Fuzz/EaselFuzzing"
    ),
    // The short form of fuzzing, which runs with the other tests.
    .testTarget(
      name: "EaselFuzzingTests",
      dependencies: ["EaselFuzzing", "EaselTestCorpus", "EaselTestSupport"],
      path: "Tests/EaselFuzzingTests"
    ),

    // The tag of tests that run alone.
    .target(name: "EaselTestTags", path: "Tests/Tags"),

    // Pictures nobody here wrote, and what each must give.
    .target(name: "CEaselTestCorpus", dependencies: ["SystemOpenSSL"], path: "Tests/Corpus/CEaselTestCorpus"),
    .target(
      name: "EaselTestCorpus",
      dependencies: ["EaselCore", "EaselManager", "CEaselTestCorpus"],
      path: "Tests/Corpus/EaselTestCorpus"
    ),

    // What script/check corpus runs.
    .executableTarget(
      name: "EaselCorpusTable",
      dependencies: [
        "EaselCore", "EaselPNG", "EaselGIF", "EaselJPEG", "EaselWebP", "EaselAVIF", "EaselHEIF", "EaselJXL",
        "EaselTIFF", "EaselBasic", "EaselSVG", "EaselSandbox", "EaselTestCorpus",
      ],
      path: "Tests/Corpus/EaselCorpusTable"
    ),

    // Pictures made of numbers, for the tests of whatever works on pixels.
    .target(
      name: "EaselTestPixels",
      dependencies: ["EaselCore", "EaselSupport", "EaselManager", "EaselPixels"],
      path: "Tests/EaselTestPixels"
    ),

    .target(name: "CEaselMemory", path: "Sources/Caches/CEaselMemory"),
    .target(
      name: "EaselMemory",
      dependencies: ["EaselCore", "EaselSupport", "CEaselMemory"],
      path: "Sources/Caches/EaselMemory"
    ),
    .testTarget(
      name: "EaselMemoryTests",
      dependencies: ["EaselCore", "EaselSupport", "EaselMemory", "EaselTestSupport"],
      path: "Tests/EaselMemoryTests"
    ),

    // The form in which stores keep records.
    .target(name: "CEaselRecords", path: "Sources/Caches/CEaselRecords"),
    .target(
      name: "EaselRecords", dependencies: ["EaselCore", "CEaselRecords"], path: "Sources/Caches/EaselRecords"),
    .testTarget(
      name: "EaselRecordsTests",
      dependencies: ["EaselCore", "EaselRecords", "CEaselRecords", "EaselTestSupport"],
      path: "Tests/EaselRecordsTests"
    ),

    .target(
      name: "CEaselDisk",
      dependencies: ["SystemSQLite"],
      path: "Sources/Caches/CEaselDisk"
    ),
    .target(
      name: "EaselDisk",
      dependencies: ["EaselCore", "EaselSupport", "EaselWorkers", "EaselRecords", "CEaselRecords", "CEaselDisk"],
      path: "Sources/Caches/EaselDisk"
    ),
    .testTarget(
      name: "EaselDiskTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselWorkers", "EaselTiers", "EaselDisk", "CEaselDisk", "CEaselRecords",
        "EaselTestSupport", "EaselDiskChild", "EaselTestTags",
      ],
      path: "Tests/EaselDiskTests"
    ),
    // A process that the tests of the disk store kill, and run beside others on one directory.
    .executableTarget(
      name: "EaselDiskChild",
      dependencies: ["EaselCore", "EaselSupport", "EaselDisk"],
      path: "Tests/EaselDiskChild"
    ),
    // The stores under the cache and the manager that use them.
    .testTarget(
      name: "EaselCacheTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTiers", "EaselManager", "EaselMemory", "EaselDisk", "EaselTestSupport",
        "EaselMemoryChild", "EaselTestTags",
      ],
      path: "Tests/EaselCacheTests"
    ),
    // A process whose memory is measured.
    .executableTarget(
      name: "EaselMemoryChild",
      dependencies: ["EaselCore", "EaselTiers", "EaselManager", "EaselMemory"],
      path: "Tests/EaselMemoryChild"
    ),

    // Connections to engines over sockets, for stores.
    .target(name: "CEaselWire", dependencies: ["SystemOpenSSL"], path: "Sources/Caches/CEaselWire"),
    .target(
      name: "EaselWire",
      dependencies: ["EaselCore", "EaselSupport", "CEaselWire"],
      path: "Sources/Caches/EaselWire"
    ),

    // Redis: a store for several machines, and claims among them.
    .target(
      name: "CEaselRedis",
      path: "Sources/Caches/CEaselRedis",
      linkerSettings: [.linkedLibrary("hiredis")]
    ),
    .target(
      name: "EaselRedis",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselHTTP", "EaselWorkers", "EaselRecords", "EaselWire", "CEaselRedis",
      ],
      path: "Sources/Caches/EaselRedis"
    ),
    .testTarget(
      name: "EaselRedisTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselRedis", "EaselWire", "EaselRecords", "EaselTestSupport", "EaselTestServers",
        "EaselTestTags",
      ],
      path: "Tests/EaselRedisTests"
    ),

    .target(
      name: "CEaselCurl",
      dependencies: ["SystemCurl", "SystemZlib", "SystemBrotli", "SystemZstd"],
      path: "Sources/Loaders/CEaselCurl"
    ),
    .target(
      name: "EaselCurl",
      dependencies: ["EaselCore", "EaselSupport", "EaselHTTP", "EaselWorkers", "CEaselCurl"],
      path: "Sources/Loaders/EaselCurl"
    ),
    .testTarget(
      name: "EaselCurlTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselWorkers", "EaselManager", "EaselCurl", "CEaselCurl", "EaselTestSupport",
        "EaselTestServers", "EaselCurlChild", "EaselTestTags",
      ],
      path: "Tests/EaselCurlTests"
    ),
    // A process that loads again and again, and says what it has.
    .executableTarget(
      name: "EaselCurlChild", dependencies: ["EaselCore", "EaselCurl", "EaselTestSupport"],
      path: "Tests/EaselCurlChild"),

    // Pictures and claims in memcached, for several machines.
    .target(
      name: "EaselMemcached",
      dependencies: ["EaselCore", "EaselRecords", "EaselSupport", "EaselWire", "EaselWorkers"],
      path: "Sources/Caches/EaselMemcached"
    ),
    .testTarget(
      name: "EaselMemcachedTests",
      dependencies: [
        "EaselCore", "EaselWire", "EaselMemcached", "EaselTestSupport", "EaselTestServers", "EaselTestTags",
      ],
      path: "Tests/EaselMemcachedTests"
    ),

    // Objects of S3: a loader, and a store for several machines.
    .target(
      name: "EaselS3",
      dependencies: ["EaselCore", "EaselSupport", "EaselCurl", "EaselRecords"],
      path: "Sources/Loaders/EaselS3"
    ),
    .testTarget(
      name: "EaselS3Tests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselS3", "EaselRecords", "EaselTestSupport", "EaselTestServers", "EaselTestTags",
      ],
      path: "Tests/EaselS3Tests"
    ),

    .target(
      name: "EaselLocal",
      dependencies: ["EaselCore", "EaselSupport", "EaselWorkers"],
      path: "Sources/Loaders/EaselLocal"
    ),
    .testTarget(
      name: "EaselLocalTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselWorkers", "EaselTiers", "EaselManager", "EaselLocal", "EaselTestSupport",
        "EaselTestTags",
      ],
      path: "Tests/EaselLocalTests"
    ),

    // Ready observers: metrics, logs, traces.
    .target(name: "EaselObserving", dependencies: ["EaselCore", "EaselSupport"], path: "Sources/Observing"),
    .testTarget(
      name: "EaselObservingTests",
      dependencies: ["EaselCore", "EaselSupport", "EaselTiers", "EaselManager", "EaselObserving", "EaselTestSupport"],
      path: "Tests/EaselObservingTests"
    ),

    // Everything in one import.
    .target(
      name: "Easel",
      dependencies: [
        "EaselCore", "EaselWorkers", "EaselDisplay", "EaselSupport", "EaselTiers", "EaselManager", "EaselPixels",
        "EaselColor", "EaselTransformers", "EaselPNG", "EaselJPEG", "EaselGIF", "EaselObserving", "EaselMemory",
        "EaselDisk", "EaselCurl", "EaselLocal", "EaselWebP", "EaselAVIF", "EaselHEIF", "EaselJXL", "EaselTIFF",
        "EaselBasic", "EaselSandbox",
      ],
      path: "Sources/Easel"
    ),
    // Sees only what users see, because it compiles the snippets of the pages.
    .testTarget(
      name: "EaselTests",
      dependencies: [
        "EaselCore", "Easel", "EaselCoding", "EaselRedis", "EaselS3", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselTests",
      packageAccess: false
    ),

    // The picture server as a function, and the listener of `easel serve`, which knows nothing of pictures.
    // It needs OpenSSL whatever the traits are. If that were a system library, SwiftPM would ask everyone for it who
    // depends on Easel.
    .target(
      name: "CEaselService", path: "Sources/Service/CEaselService", linkerSettings: [.linkedLibrary("crypto")]),
    // The heap of a program that owns its process.
    .target(name: "CEaselHeap", path: "Sources/Service/CEaselHeap"),
    .target(
      name: "EaselService",
      dependencies: [
        "EaselCore", "EaselHTTP", "EaselManager", "EaselObserving", "EaselPixels", "EaselSupport", "EaselTiers",
        "EaselTransformers", "EaselWorkers", "CEaselService",
      ],
      path: "Sources/Service/EaselService",
      // Bytes of the program itself, so that it stays one file.
      resources: [
        .embedInCode("Playground/Page/playground.html"), .embedInCode("Playground/Page/playground.css"),
        .embedInCode("Playground/Page/playground.js"),
      ]
    ),
    .testTarget(
      name: "EaselServiceTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTiers", "EaselManager", "EaselTransformers", "EaselService",
        "EaselObserving", "EaselPNG", "EaselJPEG", "EaselWebP", "EaselMemory", "EaselTestSupport", "EaselTestPixels",
        "EaselTestTags",
      ],
      path: "Tests/EaselServiceTests"
    ),
    .target(name: "CEaselListener", path: "Sources/Service/CEaselListener"),
    .target(
      name: "EaselListener",
      dependencies: ["EaselCore", "EaselSupport", "EaselService", "CEaselListener"],
      path: "Sources/Service/EaselListener"
    ),
    .testTarget(
      name: "EaselListenerTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselListener", "CEaselListener", "EaselService", "EaselTestSupport",
        "EaselListenerProbe", "EaselTestTags",
      ],
      path: "Tests/EaselListenerTests"
    ),
    // A process that answers from memory, for measurements and for tests that change the limits of a process.
    .executableTarget(
      name: "EaselListenerProbe",
      dependencies: ["EaselCore", "EaselSupport", "EaselService", "EaselListener"],
      path: "Tests/EaselListenerProbe"
    ),

    // Pictures in a terminal, and the program.
    .target(
      name: "EaselTerminal",
      dependencies: ["EaselCore", "EaselSupport", "EaselPixels"],
      path: "Sources/Terminal"
    ),
    .testTarget(
      name: "EaselTerminalTests", dependencies: ["EaselCore", "EaselTerminal"], path: "Tests/EaselTerminalTests"),
    .executableTarget(
      name: "EaselCLI",
      dependencies: [
        "EaselCore", "EaselObserving", "EaselPixels", "EaselSupport", "EaselWorkers",
        "Easel", "EaselSVG", "EaselService", "EaselListener", "EaselTerminal", "EaselRedis", "EaselMemcached",
        "EaselS3",
        // These tell the versions of the libraries.
        "CEaselPNG", "CEaselJPEG", "CEaselGIF", "CEaselWebP", "CEaselAVIF", "CEaselHEIF", "CEaselJXL", "CEaselTIFF",
        "CEaselSVG", "CEaselColor", "CEaselDisk", "CEaselCurl",
        "CEaselHeap",
      ],
      path: "Sources/CLI",
      resources: [.embedInCode("VERSION")]
    ),
    .testTarget(
      name: "EaselCLITests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTerminal", "EaselCLI", "Easel", "EaselSVG", "EaselService", "CEaselDisk",
        "CEaselHeap", "EaselTestSupport", "EaselTestCorpus", "EaselTestPixels", "EaselTestServers", "EaselTestTags",
      ],
      path: "Tests/EaselCLITests"
    ),

    // A manager made of fakes, for the tests of the manager and of what stands on it.
    .target(
      name: "EaselTestStudio",
      dependencies: ["EaselCore", "EaselSupport", "EaselWorkers", "EaselTiers", "EaselManager", "EaselTestSupport"],
      path: "Tests/Studio"
    ),

    // Fakes and contracts for whoever writes a plug-in.
    .target(
      name: "EaselTestSupport",
      dependencies: ["EaselCore", "EaselSupport", "EaselTiers", "EaselManager"],
      path: "Tests/Support"
    ),
    .testTarget(
      name: "EaselTestSupportTests",
      dependencies: ["EaselCore", "EaselSupport", "EaselTiers", "EaselManager", "EaselTestSupport", "EaselTestTags"],
      path: "Tests/EaselTestSupportTests"
    ),

    // Real servers on loopback: nginx, httpbin.
    .target(
      name: "EaselTestServers",
      dependencies: ["EaselCore", "EaselSupport", "EaselManager", "EaselTestSupport"],
      path: "Tests/Servers"
    ),
    .testTarget(
      name: "EaselTestServersTests",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTiers", "EaselTestServers", "EaselTestSupport", "EaselTestTags",
      ],
      path: "Tests/EaselTestServersTests"
    ),

    // What script/check http-cache runs.
    .executableTarget(
      name: "EaselCacheSuite",
      dependencies: [
        "EaselCore", "EaselTiers", "EaselCurl", "EaselDisk", "EaselMemory", "EaselTestServers", "EaselTestSupport",
      ],
      path: "Tests/CacheSuite",
      exclude: ["private-cache.json"]
    ),

    // The program of script/fleet model.
    .executableTarget(
      name: "EaselFleetModel",
      dependencies: [
        "EaselCore", "EaselSupport", "EaselTiers", "EaselMemcached", "EaselRedis", "EaselS3", "EaselTestSupport",
      ],
      path: "Tests/FleetModel"
    ),

    // What script/bench runs. The counter of allocations replaces malloc, so only the program may depend on it.
    .target(name: "EaselBenchmarkHarness", path: "Benchmarks/Harness"),
    .target(
      name: "CEaselPNGBaseline",
      dependencies: ["SystemPNG"],
      path: "Benchmarks/CEaselPNGBaseline"
    ),
    .target(
      name: "CEaselGIFBaseline",
      dependencies: ["SystemGIF"],
      path: "Benchmarks/CEaselGIFBaseline"
    ),
    .target(
      name: "CEaselJPEGBaseline",
      dependencies: ["SystemJPEG"],
      path: "Benchmarks/CEaselJPEGBaseline"
    ),
    .target(
      name: "CEaselWebPBaseline",
      dependencies: ["SystemWebP", "SystemWebPDemux"],
      path: "Benchmarks/CEaselWebPBaseline"
    ),
    .target(
      name: "CEaselAVIFBaseline",
      path: "Benchmarks/CEaselAVIFBaseline",
      linkerSettings: [.linkedLibrary("avif")]
    ),
    .target(
      name: "CEaselTIFFBaseline",
      dependencies: ["SystemTIFF"],
      path: "Benchmarks/CEaselTIFFBaseline"
    ),
    .target(
      name: "CEaselHEIFBaseline",
      dependencies: ["SystemDe265"],
      path: "Benchmarks/CEaselHEIFBaseline"
    ),
    .target(
      name: "CEaselJXLBaseline",
      path: "Benchmarks/CEaselJXLBaseline",
      linkerSettings: [.linkedLibrary("jxl"), .linkedLibrary("jxl_threads")]
    ),
    .target(name: "CEaselBasicBaseline", path: "Benchmarks/CEaselBasicBaseline"),
    .target(
      name: "CEaselSVGBaseline",
      dependencies: ["SystemCairo", "SystemGObject"],
      path: "Benchmarks/CEaselSVGBaseline",
      linkerSettings: [.linkedLibrary("rsvg-2"), .linkedLibrary("gio-2.0")]
    ),
    .target(
      name: "CEaselCurlBaseline",
      dependencies: ["SystemCurl"],
      path: "Benchmarks/CEaselCurlBaseline"
    ),
    .target(
      name: "CEaselThumbnailBaseline",
      dependencies: ["CEaselCodecBaseline", "SystemJPEG", "SystemPNG", "SystemWebP"],
      path: "Benchmarks/CEaselThumbnailBaseline"
    ),
    .target(
      name: "CEaselCodecBaseline",
      dependencies: ["SystemJPEG", "SystemPNG", "SystemWebP", "SystemGIF"],
      path: "Benchmarks/CEaselCodecBaseline"
    ),
    .target(name: "CEaselBenchSupport", path: "Benchmarks/CEaselBenchSupport"),
    .executableTarget(
      name: "EaselBenchmarks",
      dependencies: [
        "EaselBenchmarkHarness", "CEaselBenchSupport", "EaselCore", "EaselSupport", "EaselTiers", "EaselManager",
        "EaselPixels", "EaselMemory", "EaselDisk", "CEaselDisk", "CEaselRecords", "EaselPNG", "CEaselPNGBaseline",
        "EaselGIF", "CEaselGIFBaseline", "EaselJPEG", "CEaselJPEGBaseline", "EaselWebP", "CEaselWebPBaseline",
        "EaselAVIF", "CEaselAVIFBaseline", "EaselTIFF", "CEaselTIFFBaseline", "EaselHEIF", "CEaselHEIFBaseline",
        "EaselJXL", "CEaselJXLBaseline", "EaselSVG", "CEaselSVGBaseline", "EaselBasic", "CEaselBasicBaseline",
        "EaselCoding", "EaselCurl", "EaselRedis", "CEaselCurlBaseline", "EaselTestServers", "Easel",
        "CEaselThumbnailBaseline", "CEaselCodecBaseline",
      ],
      path: "Benchmarks/EaselBenchmarks"
    ),
    // A program as small as one can be that makes thumbnails: its memory is measured.
    .executableTarget(
      name: "EaselLeanThumbnails",
      dependencies: [
        "EaselCore", "EaselJPEG", "EaselPNG", "EaselWebP", "EaselTIFF", "EaselAVIF", "EaselHEIF", "EaselJXL",
        "EaselBasic",
      ],
      path: "Benchmarks/LeanThumbnails"
    ),
    .testTarget(
      name: "EaselBenchmarkHarnessTests",
      dependencies: ["EaselBenchmarkHarness"],
      path: "Tests/EaselBenchmarkHarnessTests"
    ),
  ],
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
