import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The layers that are asked and written, and their order: every mask against every state of the caches.
struct LayerRuleTests {
  /// The contents of the caches before the load.
  enum Scene: CaseIterable, Sendable { case nothing, variantOnDisk, originalOnDisk, originalInMemory, everything }

  private struct Masks {
    let query: CacheLayers
    let store: CacheLayers
    let originalQuery: CacheLayers
    let originalStore: CacheLayers

    var context: ImageContext {
      [
        .queryLayers(query), .storeLayers(store), .originalQueryLayers(originalQuery),
        .originalStoreLayers(originalStore),
      ]
    }

    static var all: [Masks] {
      let sets: [CacheLayers] = [[], .memory, .disk, .local]
      return sets.flatMap { query in
        sets.flatMap { store in
          sets.flatMap { originalQuery in
            sets.map {
              Masks(query: query, store: store, originalQuery: originalQuery, originalStore: $0)
            }
          }
        }
      }
    }
  }

  private struct Outcome: Equatable {
    var calls: [CacheCall] = []
    var source = ImageEvent.Source.network
  }

  private let url = URL(string: "http://host/a.toy")!
  private let tag: ImageContext = [.transformer(.custom(TaggingTransformer(1)))]

  @Test(arguments: Scene.allCases) func aVariantKeepsToItsMasks(_ scene: Scene) async throws {
    let contents = try await contents(of: scene, variantContext: tag)
    for masks in Masks.all {
      let outcome = try await outcome(masks, contents, tag)
      #expect(outcome == expectedOfVariant(masks, scene), "\(masks)")
    }
  }

  @Test(arguments: Scene.allCases) func aPlainPictureKeepsToItsMasks(_ scene: Scene) async throws {
    let contents = try await contents(of: scene, variantContext: tag)
    for masks in Masks.all {
      let outcome = try await outcome(masks, contents, [])
      #expect(outcome == expectedOfPlain(masks, scene), "\(masks)")
    }
  }

  // MARK: The model

  private var original: CacheKey { CacheKey(original: url.absoluteString) }

  private var variant: CacheKey { CacheKey(original: url.absoluteString, suffixes: [CacheKey.Suffix("Tag(1)")]) }

  private func has(_ scene: Scene, _ key: CacheKey) -> CacheLayers {
    switch scene {
    case .nothing: []
    case .variantOnDisk: key == variant ? .disk : []
    case .originalOnDisk: key == original ? .disk : []
    case .originalInMemory: key == original ? .memory : []
    case .everything: .local
    }
  }

  private func expectedOfPlain(_ masks: Masks, _ scene: Scene) -> Outcome {
    var outcome = Outcome()
    let found = has(scene, original).intersection(masks.query)
    if found.contains(.memory) { return Outcome(source: .memory) }
    if !masks.query.isEmpty { outcome.calls.append(.query(original, masks.query)) }
    if found.contains(.disk) {
      outcome.source = .disk
      if masks.store.contains(.memory) { outcome.calls.append(.store(original, .memory)) }
      return outcome
    }
    outcome.calls += [CacheLayers.memory, .disk].filter(masks.store.contains).map { .store(original, $0) }
    return outcome
  }

  private func expectedOfVariant(_ masks: Masks, _ scene: Scene) -> Outcome {
    var outcome = Outcome()
    let found = has(scene, variant).intersection(masks.query)
    if found.contains(.memory) { return Outcome(source: .memory) }
    if !masks.query.isEmpty { outcome.calls.append(.query(variant, masks.query)) }
    if found.contains(.disk) {
      outcome.source = .disk
      if masks.store.contains(.memory) { outcome.calls.append(.store(variant, .memory)) }
      return outcome
    }
    if !masks.originalQuery.isEmpty { outcome.calls.append(.query(original, masks.originalQuery)) }
    let originals = has(scene, original).intersection(masks.originalQuery)
    if originals.contains(.memory) { outcome.source = .memory } else if originals == .disk { outcome.source = .disk }
    let isLoaded = outcome.source == .network
    if masks.store.contains(.memory) { outcome.calls.append(.store(variant, .memory)) }
    // Bytes in memory never replace the picture there.
    if isLoaded, masks.originalStore.contains(.memory), !has(scene, original).contains(.memory) {
      outcome.calls.append(.store(original, .memory))
    }
    if isLoaded, masks.originalStore.contains(.disk) { outcome.calls.append(.store(original, .disk)) }
    if masks.store.contains(.disk) { outcome.calls.append(.store(variant, .disk)) }
    return outcome
  }

  // MARK: The real thing

  private struct Contents {
    var memory: [CacheKey: CacheEntry] = [:]
    var disk: [CacheKey: CacheEntry] = [:]
  }

  private func contents(of scene: Scene, variantContext: ImageContext) async throws -> Contents {
    let cache = RecordingCache()
    let studio = Studio { $0.cache = cache }
    studio.place(.small)
    try await studio.warm(url)
    try await studio.warm(url, [], variantContext)
    var contents = Contents()
    for (key, entry) in cache.entries(in: .memory) where has(scene, key).contains(.memory) {
      contents.memory[key] = entry
    }
    for (key, entry) in cache.entries(in: .disk) where has(scene, key).contains(.disk) { contents.disk[key] = entry }
    return contents
  }

  private func outcome(_ masks: Masks, _ contents: Contents, _ context: ImageContext) async throws -> Outcome {
    let cache = RecordingCache()
    for (key, entry) in contents.memory { cache.seed(entry, for: key, in: .memory) }
    for (key, entry) in contents.disk { cache.seed(entry, for: key, in: .disk) }
    let studio = Studio { $0.cache = cache }
    studio.place(.small)
    var context = context
    context.merge(masks.context)
    let result = try await studio.warm(url, [], context)
    #expect(studio.loader.callCount == (result.source == .network ? 1 : 0))
    let calls = cache.calls.filter { call in
      switch call {
      case .query, .store: true
      default: false
      }
    }
    return Outcome(calls: calls, source: result.source)
  }
}
