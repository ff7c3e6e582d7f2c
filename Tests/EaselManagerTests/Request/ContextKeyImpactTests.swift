import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Every context key declares its effect on the caches, on sharing and on failures, and the work follows it.
struct ContextKeyImpactTests {
  private let owner = Stub.Owner()

  private func resolve(_ context: ImageContext, _ row: ContextKeyRow) throws -> ResolvedRequest {
    let request = ImageRequest("http://foo/a.png", options: row.options, context: context)
    return try #require(request.resolved(with: ContextKeyRow.configuration.withValues, by: owner))
  }

  @Test(arguments: ContextKeyRow.all) func theKeysFollowTheDeclaredImpact(row: ContextKeyRow) throws {
    let plain = try resolve(row.plain, row)
    let set = try resolve(row.set, row)
    let effect: ImageContext.Impact<Void>.Kind =
      plain.originalKey != set.originalKey ? .bytes : plain.variantKey != set.variantKey ? .pixels : .neutral
    #expect(effect == row.kind)
    #expect((plain.variantKey == set.variantKey) == (effect == .neutral), "other bytes are other pixels too")
    #expect((plain.variantKey.diskName == set.variantKey.diskName) == (effect == .neutral))
    #expect((plain.originalKey.diskName == set.originalKey.diskName) == (effect != .bytes))
  }

  private func pixels(_ request: ResolvedRequest) -> PixelsKey {
    PixelsKey(request, input: .bitmap(generation: 1), stepCount: request.steps.count)
  }

  @Test(arguments: ContextKeyRow.all) func runsAreSharedAsTheKeyDeclares(row: ContextKeyRow) throws {
    let plain = try resolve(row.plain, row)
    let set = try resolve(row.set, row)
    for (one, other) in [(plain, set), (set, plain)] {
      #expect((ResultKey(one) == ResultKey(other)) == row.shares(.picture))
      #expect((TransferKey(one) == TransferKey(other)) == row.shares(.transfer))
      #expect((pixels(one) == pixels(other)) == row.shares(.pixels))
    }
  }

  @Test(arguments: ContextKeyRow.all.filter { $0.usual != nil })
  func theValueThatAppliesAnywayKeepsNothingApart(row: ContextKeyRow) throws {
    let plain = try resolve(row.plain, row)
    let usual = try resolve(#require(row.usual), row)
    for (one, other) in [(plain, usual), (usual, plain)] {
      #expect(ResultKey(one) == ResultKey(other))
      #expect(TransferKey(one) == TransferKey(other))
      #expect(pixels(one) == pixels(other))
    }
  }

  @Test(arguments: ContextKeyRow.all) func loadsShareRunsAsTheKeyDeclares(row: ContextKeyRow) async throws {
    let studio = Studio {
      $0.coder = CoderRegistry([ToyCoder(), Stub.Coder(identifier: "png", formats: [.png])])
    }
    let url = URL(string: "http://host/shared.toy")!
    let loaders = [studio.loader, row.set[.loader] as? FakeLoader].compactMap { $0 }
    for loader in loaders {
      loader.script(url, .body(ToyImage.small.bytes))
      loader.suspend(url)
    }
    let tasks = [row.plain, row.set].map { studio.manager.load(url, options: row.options, context: $0) }
    while studio.manager.resultRuns.waitingCount < 2 { await Task.yield() }
    let pictures = studio.manager.resultRuns.count
    let transfers = row.shares(.transfer) || pictures == 1 ? 1 : 2
    // One picture brings two places, its own and that of its decode; a third place is of the other picture.
    let runs = studio.manager.transferRuns
    while runs.count < transfers || runs.waitingCount < (pictures == 1 ? 1 : 3) { await Task.yield() }
    for loader in loaders { loader.resume(url) }
    for task in tasks { _ = try? await task.image }
    #expect(pictures == (row.shares(.picture) ? 1 : 2))
    #expect(loaders.reduce(0) { $0 + $1.callCount(for: url) } == transfers)
  }

  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The names of all keys that the core declares, as its sources have them.
  private static func declaredNames() throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path + "/Sources/Core")
    return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
      try text("Sources/Core/" + path).matches(of: /\n[ \w]*static (?:let|var) (\w+)[ :=]+ContextKey\b/)
        .map { String($0.1) }
    }
  }

  @Test func everyKeyOfTheCoreHasARowUnderItsName() throws {
    let declared = try Self.declaredNames()
    #expect(declared.count > 20)
    #expect(declared.sorted() == ContextKeyRow.core.map(\.testDescription).sorted())
    #expect(ContextKeyRow.core.allSatisfy { $0.keptApart.isEmpty == ($0.usual == nil) })
  }

  @Test func everyKeyOfTheCoreHasATestOfItsEffect() throws {
    let tests = try Self.text("Tests/EaselManagerTests/ContextKeyEffectTests.swift")
    #expect(try Self.declaredNames().filter { !tests.contains(".\($0)(") } == [])
  }

  @Test func aCustomKeyStandsInTheReadableKeyByNameAndValue() throws {
    let request = ImageRequest(
      "http://foo/a.png", context: [.setting(ContextKeyRow.Pixels.self, 7), .setting(ContextKeyRow.Neutral.self, 1)])
    let resolved = try #require(request.resolved(with: Stub.configuration(), by: Stub.Owner()))
    #expect(resolved.variantKey.readable == "http://foo/a-Pixels(7).png")
    #expect(resolved.originalKey.readable == "http://foo/a.png")
  }

  @Test(arguments: [
    ImageOptions.retryFailed, .lowPriority, .highPriority, .progressive, .refreshCached, .transformAnimated,
    .fromCacheOnly, .fromLoaderOnly, .firstFrameOnly, .preloadAllFrames, .requireAnimated, .includeData, .waitStore,
    .continueInBackground, .delayPlaceholder, .avoidAutoSet, .avoidAutoCancel, .forceTransition, .waitTransition,
  ])
  func optionsThatActAtDeliveryAreInNoKey(option: ImageOptions) throws {
    let configuration = Stub.configuration()
    let resolved = ImageRequest("http://foo/a.png", options: option).resolved(with: configuration, by: Stub.Owner())
    #expect(resolved?.variantKey == CacheKey(original: "http://foo/a.png"))
  }

  @Test(arguments: [ImageOptions.handleCookies, .allowInvalidCertificates])
  func optionsThatDecideBytesAreInTheScope(option: ImageOptions) throws {
    let configuration = Stub.configuration()
    let resolved = ImageRequest("http://foo/a.png", options: option).resolved(with: configuration, by: Stub.Owner())
    let key = try #require(resolved?.originalKey)
    #expect(key.scope.parts.count == 1)
    #expect(key.isStorable)
    #expect(resolved?.variantKey == key)
  }
}
