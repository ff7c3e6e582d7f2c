import EaselCore

/// The rules of every image cache.
public struct ImageCacheContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// An entry stored in a layer is found there, with its record.
    case keepsEntries
    /// A key that was never stored has no entry in any layer.
    case unknownIsNil
    /// Keys that differ in original, scope or suffixes have separate entries.
    case keysAreApart
    /// A query asks only the named layers.
    case queriesNamedLayersOnly
    /// Memory is asked before the disk, and a hit names its layer.
    case namesTheLayer
    /// A store writes only the named layers.
    case storesInNamedLayersOnly
    /// The synchronous lookup never returns an entry that is only on disk.
    case memoryLookupIsOfMemory
    /// Entries whose keys mean nothing to other processes never reach the disk.
    case unstorableStaysOffDisk
    /// `contains` names the right layers.
    case containsTellsTheTruth
    /// Removing and clearing change exactly the named layers.
    case forgetsInNamedLayersOnly
    /// A renewal reaches the original and all its variants, and nothing else.
    case renewsAllOfAnOriginal
    /// A renewal removes entries made from other bytes of the original; without a record it changes nothing else.
    case forgetsOtherGenerations
    /// Counts and sizes are those of the named layer.
    case countsByLayer
    /// An empty set of layers finds, stores and removes nothing.
    case noLayerDoesNothing
    /// Every call returns.
    case ends
  }

  private let makeCache: @Sendable () throws -> any ImageCache
  private let layers: CacheLayers

  private let patience: Duration

  /// Creates the suite for a cache with these layers of one machine.
  ///
  /// ``SharedStoreContract`` has the rules of the shared layer, where older entries never replace newer ones.
  public init(
    layers: CacheLayers = .local, patience: Duration = .ofContracts,
    makeCache: @escaping @Sendable () throws -> any ImageCache
  ) {
    self.makeCache = makeCache
    self.layers = layers
    self.patience = patience
  }

  /// Returns the rules that the cache breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for (name, rule, check) in checks {
      await steps.run(name) { await findings.attempt(rule, name) { try await check(findings) } }
    }
    return findings.violations
  }

  private var checks: [(String, Rule, @Sendable (Findings<Rule>) async throws -> Void)] {
    [
      ("Storing", .keepsEntries, checkKeeping), ("Storing in one layer", .storesInNamedLayersOnly, checkLayers),
      ("Storing under many keys", .keysAreApart, checkKeys),
      ("Forgetting", .forgetsInNamedLayersOnly, checkForgetting), ("Renewing", .renewsAllOfAnOriginal, checkRenewal),
      ("Counting", .countsByLayer, checkCounting), ("Naming no layer", .noLayerDoesNothing, checkNoLayer),
      ("Storing what is of this process", .unstorableStaysOffDisk, checkUnstorable),
    ]
  }

  private var singleLayers: [CacheLayers] { [CacheLayers.memory, .disk].filter { layers.contains($0) } }

  private func checkKeeping(_ findings: Findings<Rule>) async throws {
    let cache = try makeCache()
    let missing = try await cache.query(StoreSamples.key, in: .all)
    findings.require(missing?.layer == nil, .unknownIsNil, "An empty cache has an entry.")
    let entry = StoreSamples.entry(1)
    try await cache.store(entry, for: StoreSamples.key, in: .all)
    for layer in singleLayers {
      let found = try await cache.query(StoreSamples.key, in: layer)?.entry
      let isKept = StoreSamples.isKept(found?.record, of: entry.record, under: StoreSamples.key)
      findings.require(isKept, .keepsEntries, "The record from \(layer) is not the same.")
      let isSame =
        layer == .memory
        ? found?.image?.bitmap == entry.image?.bitmap : StoreSamples.haveEqualBytes(found, entry)
      findings.require(isSame, .keepsEntries, "What comes from \(layer) is not what was stored.")
    }
    let other = try await cache.query(StoreSamples.variant, in: .all)
    findings.require(other?.layer == nil, .unknownIsNil, "Another key has the entry.")
    let first = try await cache.query(StoreSamples.key, in: .all)?.layer
    findings.require(first == singleLayers.first, .namesTheLayer, "A hit says \(first?.description ?? "nothing").")
  }

  private func checkKeys(_ findings: Findings<Rule>) async throws {
    guard !layers.isEmpty else { return }
    let cache = try makeCache()
    for (index, key) in StoreSamples.distinct.enumerated() {
      try await cache.store(StoreSamples.entry(UInt64(index)), for: key, in: .all)
    }
    for layer in singleLayers {
      for (index, key) in StoreSamples.distinct.enumerated() {
        let generation = try await cache.query(key, in: layer)?.entry.record.generation
        findings.require(
          generation == UInt64(index), .keysAreApart,
          "In \(layer) \(key.readable.prefix(80)) gives entry \(generation ?? .max).")
      }
    }
  }

  private func checkLayers(_ findings: Findings<Rule>) async throws {
    for layer in singleLayers {
      let cache = try makeCache()
      try await cache.store(StoreSamples.entry(1), for: StoreSamples.key, in: layer)
      for asked in [CacheLayers.memory, .disk] {
        let hit = try await cache.query(StoreSamples.key, in: asked)
        if layer == asked {
          findings.require(hit?.layer == layer, .namesTheLayer, "A hit in \(layer) says otherwise.")
        } else {
          let rule = try await holder(of: cache) == layer ? Rule.queriesNamedLayersOnly : .storesInNamedLayersOnly
          findings.require(hit?.layer == nil, rule, "What is in \(layer) was found in \(asked).")
        }
      }
      let holder = try await holder(of: cache)
      findings.require(holder == layer, .containsTellsTheTruth, "What is in \(layer) is said to be in \(holder).")
      if layer == .disk {
        let entry = cache.memoryEntry(for: StoreSamples.key)
        findings.require(entry == nil, .memoryLookupIsOfMemory, "It tells of what is on disk alone.")
      }
    }
    let cache = try makeCache()
    let nowhere = try await holder(of: cache)
    findings.require(nowhere == [], .containsTellsTheTruth, "What was never stored is said to be in \(nowhere).")
  }

  private func holder(of cache: any ImageCache) async throws -> CacheLayers {
    try await cache.contains(StoreSamples.key, in: .all)
  }

  private func checkForgetting(_ findings: Findings<Rule>) async throws {
    for layer in singleLayers {
      let others = layers.subtracting(layer)
      let removed = try await filledCache()
      try await removed.remove(StoreSamples.key, from: layer)
      let left = try await holder(of: removed)
      findings.require(left == others, .forgetsInNamedLayersOnly, "Removed from \(layer) it is in \(left).")
      let other = try await removed.contains(StoreSamples.other, in: layer)
      findings.require(other == layer, .forgetsInNamedLayersOnly, "Another entry went with it.")

      let cleared = try await filledCache()
      try await cleared.clear(layer)
      let rest = try await holder(of: cleared)
      findings.require(rest == others, .forgetsInNamedLayersOnly, "With \(layer) cleared it is in \(rest).")
    }
  }

  private func filledCache() async throws -> any ImageCache {
    let cache = try makeCache()
    try await cache.store(StoreSamples.entry(1), for: StoreSamples.key, in: .all)
    try await cache.store(StoreSamples.entry(2), for: StoreSamples.other, in: .all)
    return cache
  }

  private func checkRenewal(_ findings: Findings<Rule>) async throws {
    let cache = try await filledCache()
    try await cache.store(StoreSamples.entry(1), for: StoreSamples.variant, in: .all)
    try await cache.store(StoreSamples.entry(3), for: StoreSamples.thumbnail, in: .all)
    try await cache.store(StoreSamples.entry(1), for: StoreSamples.scoped, in: .all)
    let response = StoreSamples.response("new")
    try await cache.renew(response, ofOriginal: StoreSamples.key, generation: 1, in: .all)
    try await cache.renew(nil, ofOriginal: StoreSamples.key, generation: 1, in: .all)
    for layer in singleLayers {
      let outdated = try await cache.contains(StoreSamples.thumbnail, in: layer)
      findings.require(
        outdated.isEmpty, .forgetsOtherGenerations, "What was made of other bytes is still in \(layer).")
      for (key, isRenewed) in [
        (StoreSamples.key, true), (StoreSamples.variant, true), (StoreSamples.other, false),
        (StoreSamples.scoped, false),
      ] {
        let found = try await cache.query(key, in: layer)?.entry.record.response
        findings.require(
          found == (isRenewed ? response : nil), .renewsAllOfAnOriginal,
          "In \(layer) \(key) \(isRenewed ? "has its old record" : "was renewed too").")
      }
    }
  }

  private func checkCounting(_ findings: Findings<Rule>) async throws {
    let cache = try await filledCache()
    for layer in singleLayers {
      let (count, size) = try await (cache.count(in: layer), cache.size(of: layer))
      findings.require(count == 2, .countsByLayer, "2 entries in \(layer) count as \(count).")
      findings.require(size > 0, .countsByLayer, "2 entries in \(layer) take \(size) bytes.")
      try await cache.clear(layer)
      let left = try await cache.count(in: layer)
      findings.require(left == 0, .countsByLayer, "\(layer) cleared still counts \(left).")
    }
  }

  private func checkNoLayer(_ findings: Findings<Rule>) async throws {
    let cache = try await filledCache()
    let hit = try await cache.query(StoreSamples.key, in: [])
    findings.require(hit?.layer == nil, .noLayerDoesNothing, "It found something.")
    try await cache.store(StoreSamples.entry(1), for: StoreSamples.variant, in: [])
    let stored = try await cache.contains(StoreSamples.variant, in: .all)
    findings.require(stored == [], .noLayerDoesNothing, "It stored something.")
    try await cache.remove(StoreSamples.key, from: [])
    try await cache.clear([])
    let left = try await holder(of: cache)
    findings.require(left == layers, .noLayerDoesNothing, "It forgot something.")
  }

  private func checkUnstorable(_ findings: Findings<Rule>) async throws {
    let cache = try makeCache()
    let key = CacheKey.forOneInstance("http://a/picture.png", FakeRequestModifier())
    try await cache.store(StoreSamples.entry(1), for: key, in: .all)
    let found = try await cache.contains(key, in: .all)
    findings.require(!found.contains(.disk), .unstorableStaysOffDisk, "It is on disk.")
    if layers.contains(.memory) {
      findings.require(found.contains(.memory), .unstorableStaysOffDisk, "It is not even in memory.")
    }
  }
}
