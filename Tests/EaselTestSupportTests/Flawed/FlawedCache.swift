import EaselCore
import EaselTestSupport

/// A cache that breaks one rule.
final class FlawedCache: ImageCache {
  private let flaw: ImageCacheContract.Rule
  private let base = RecordingCache()

  init(_ flaw: ImageCacheContract.Rule) { self.flaw = flaw }

  func memoryEntry(for key: CacheKey) -> CacheEntry? {
    base.memoryEntry(for: key) ?? (flaw == .memoryLookupIsOfMemory ? base.entries(in: .disk)[key] : nil)
  }

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    if flaw == .ends { await waitForever() }
    let asked = flaw == .queriesNamedLayersOnly && !layers.isEmpty ? .all : layers
    let hit = try await base.query(key, in: asked)
    guard let hit else { return flaw == .unknownIsNil ? CacheEntry.Hit(CacheEntry(record: .sample()), in: .disk) : nil }
    switch flaw {
    case .keepsEntries: return CacheEntry.Hit(hit.entry.with(.sample(generation: 99)), in: hit.layer)
    case .namesTheLayer: return CacheEntry.Hit(hit.entry, in: hit.layer == .memory ? .disk : .memory)
    default: return hit
    }
  }

  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    // Two originals of one length share an entry.
    if flaw == .keysAreApart, key.original.count == 1 {
      return try await base.store(entry, for: CacheKey(original: "x"), in: layers)
    }
    if flaw == .unstorableStaysOffDisk, !key.isStorable { return base.seed(entry, for: key) }
    let widens = flaw == .storesInNamedLayersOnly || flaw == .noLayerDoesNothing && layers.isEmpty
    try await base.store(entry, for: key, in: widens ? .all : layers)
  }

  func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    if flaw == .renewsAllOfAnOriginal { return }
    let before = base.entries(in: .memory)
    try await base.renew(response, ofOriginal: key, generation: generation, in: layers)
    guard flaw == .forgetsOtherGenerations else { return }
    for (key, entry) in before where base.entries(in: .memory)[key] == nil { base.seed(entry, for: key) }
  }

  func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    try await base.remove(key, from: flaw == .forgetsInNamedLayersOnly ? .all : layers)
  }

  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    try await flaw == .containsTellsTheTruth ? layers : base.contains(key, in: layers)
  }

  func clear(_ layers: CacheLayers) async throws { try await base.clear(layers) }

  func trim(_ layers: CacheLayers) async throws { try await base.trim(layers) }

  func count(in layer: CacheLayers) async throws -> Int {
    try await base.count(in: flaw == .countsByLayer ? .all : layer)
  }

  func size(of layer: CacheLayers) async throws -> Int { try await base.size(of: layer) }
}
