// swift-tools-version: 6.2
import PackageDescription

// Easel at home in a Swift server. This is a package of its own, so that Easel itself depends on no other package.

/// Products of a package.
func products(_ names: String, of package: String) -> [Target.Dependency] {
  names.split(separator: " ").map { .product(name: String($0), package: package) }
}

/// A module of this package, and its tests, which may need more.
func adapter(_ name: String, uses: [Target.Dependency], tests: [Target.Dependency] = []) -> [Target] {
  [
    .target(name: name, dependencies: uses),
    .testTarget(
      name: "\(name)Tests",
      dependencies: [.byName(name: name), "AdapterStudio"] + uses + tests
        + products("Easel EaselTestSupport", of: "Easel")),
  ]
}

let memoryTracer = products("InMemoryTracing", of: "swift-distributed-tracing")

let package = Package(
  name: "EaselAdapters",
  products: [
    "EaselLogging", "EaselMetrics", "EaselTracing", "EaselLifecycle", "EaselHTTPTypes", "EaselNIO", "EaselHummingbird",
    "EaselVapor", "EaselAsyncHTTPClient",
  ].map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(name: "Easel", path: ".."),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-service-context.git", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    // Programs choose its traits; the adapter needs none of them.
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0", traits: []),
    .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.0"),
  ],
  targets: [
    [
      // A picture service over a loader that tests command.
      .target(
        name: "AdapterStudio",
        dependencies: products("Easel EaselService EaselTestSupport", of: "Easel") + memoryTracer
          + products("Tracing", of: "swift-distributed-tracing") + products("Logging", of: "swift-log"),
        path: "Tests/Studio")
    ],
    adapter(
      "EaselLogging",
      uses: products("EaselCore EaselObserving", of: "Easel") + products("Logging", of: "swift-log")),
    adapter(
      "EaselMetrics",
      uses: products("EaselCore EaselObserving", of: "Easel") + products("Metrics", of: "swift-metrics"),
      tests: products("MetricsTestKit", of: "swift-metrics")),
    adapter(
      "EaselTracing",
      uses: products("EaselCore EaselManager EaselObserving", of: "Easel")
        + products("Tracing", of: "swift-distributed-tracing"),
      tests: memoryTracer),
    adapter(
      "EaselLifecycle",
      uses: products("EaselService EaselListener", of: "Easel")
        + products("ServiceLifecycle", of: "swift-service-lifecycle"),
      tests: products("ServiceLifecycleTestKit", of: "swift-service-lifecycle")),
    adapter(
      "EaselHTTPTypes",
      uses: products("EaselCore EaselService", of: "Easel") + products("HTTPTypes", of: "swift-http-types")),
    adapter(
      "EaselNIO",
      uses: products("EaselCore EaselManager EaselService", of: "Easel")
        + products("NIOCore NIOHTTP1", of: "swift-nio"),
      tests: products("NIOEmbedded NIOPosix", of: "swift-nio")),
    adapter(
      "EaselHummingbird",
      uses: ["EaselHTTPTypes", "EaselNIO"] + products("EaselCore EaselManager EaselService", of: "Easel")
        + products("HTTPTypes", of: "swift-http-types") + products("NIOCore", of: "swift-nio")
        + products("Hummingbird", of: "hummingbird"),
      tests: ["EaselTracing"]),
    adapter(
      "EaselVapor",
      uses: ["EaselNIO"] + products("EaselCore EaselManager EaselService", of: "Easel")
        + products("NIOConcurrencyHelpers NIOCore NIOHTTP1", of: "swift-nio") + products("Logging", of: "swift-log")
        + products("ServiceContextModule", of: "swift-service-context") + products("Vapor", of: "vapor"),
      tests: ["EaselLogging", "EaselTracing"]),
    adapter(
      "EaselAsyncHTTPClient",
      uses: ["EaselNIO"] + products("EaselCore EaselCurl", of: "Easel")
        + products("NIOCore NIOHTTP1", of: "swift-nio") + products("AsyncHTTPClient", of: "async-http-client"),
      tests: products("NIOPosix", of: "swift-nio")),
  ].flatMap { $0 },
  swiftLanguageModes: [.v6]
)

// Adapters that are named, and what they need, are built in a fraction of the time.
if let wanted = Context.environment["EASEL_ADAPTERS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var open = wanted.split(separator: " ").flatMap { [String($0), "\($0)Tests"] }
  while let name = open.popLast() {
    guard let target = targets[name] else { fatalError("EASEL_ADAPTERS names \(name), which is no target.") }
    guard kept.insert(name).inserted else { continue }
    open += target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}
