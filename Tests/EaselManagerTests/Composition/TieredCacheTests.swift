import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers
@testable import EaselWorkers

struct TieredCacheTests {
  private struct Failure: Error {}

  /// The stores of a cache.
  enum Stores: CaseIterable, Sendable {
    case none, memory, disk, both

    var layers: CacheLayers {
      switch self {
      case .none: []
      case .memory: .memory
      case .disk: .disk
      case .both: .local
      }
    }
  }

  static let layerSets: [CacheLayers] = [[], .memory, .disk, .local]

  private let memory = RecordingMemoryStore()
  private let disk = RecordingDiskStore()
  private let key = CacheKey(original: "picture", suffixes: [CacheKey.Suffix("Flip(1,0)")])
  private let response = CacheRecord.Response(
    status: 200, headers: ["ETag": "\"a\""], requested: Date(timeIntervalSince1970: 1),
    received: Date(timeIntervalSince1970: 2))

  private func cache(_ stores: Stores) -> TieredCache {
    TieredCache(
      memory: stores.layers.contains(.memory) ? memory : nil, disk: stores.layers.contains(.disk) ? disk : nil,
      workers: .patient())
  }

  /// A key for one plug-in instance; its entries may not go to disk.
  private func unstorableKey() -> CacheKey {
    let modifier = FakeRequestModifier(cacheIdentity: .instance)
    let request = ImageRequest("http://a/b.png", context: [.requestModifier(modifier)])
    let configuration = ImageManager.Configuration(
      loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache())
    let key = request.resolved(with: configuration, by: memory)!.originalKey
    precondition(!key.isStorable)
    return key
  }

  @Test(arguments: Stores.allCases)
  func onlyLayersWithAStoreKeepSomething(stores: Stores) {
    #expect(cache(stores).layers(for: key) == stores.layers)
    #expect(cache(stores).layers(for: unstorableKey()) == stores.layers.subtracting(.disk))
  }

  // MARK: Queries

  @Test(arguments: layerSets, Stores.allCases)
  func aQueryAsksTheLayersInOrderUntilOneAnswers(layers: CacheLayers, stores: Stores) async throws {
    for holders in Self.layerSets {
      let tiers = TieredCacheTests()
      if holders.contains(.memory) { tiers.memory.seed(try .sample(record: .sample(generation: 1)), for: key) }
      if holders.contains(.disk) { tiers.disk.seed(try .sample(record: .sample(generation: 2)), for: key) }
      let hit = try await tiers.cache(stores).query(key, in: layers)

      let usable = layers.intersection(stores.layers)
      let expected: CacheLayers? =
        usable.contains(.memory) && holders.contains(.memory)
        ? .memory : usable.contains(.disk) && holders.contains(.disk) ? .disk : nil
      #expect(hit?.layer == expected, "held by \(holders)")
      #expect(hit?.entry.record.generation == expected.map { $0 == .memory ? 1 : 2 })
      #expect(tiers.memory.calls == (usable.contains(.memory) ? [.query(key)] : []))
      #expect(tiers.disk.calls == (usable.contains(.disk) && expected != .memory ? [.query(key)] : []))
    }
  }

  @Test(arguments: Stores.allCases)
  func theSynchronousLookupAsksMemoryAlone(stores: Stores) throws {
    memory.seed(try .sample(), for: key)
    disk.seed(try .sample(), for: key)
    let entry = cache(stores).memoryEntry(for: key)
    #expect((entry != nil) == stores.layers.contains(.memory))
    #expect(memory.calls == (stores.layers.contains(.memory) ? [.query(key)] : []))
    #expect(disk.calls.isEmpty)
  }

  // MARK: Stores

  /// The entries to store, as pairs: has an image, has bytes.
  static let contents = [(true, true), (true, false), (false, true), (false, false)]

  @Test(arguments: layerSets, Stores.allCases)
  func aStoreWritesWhatTheEntryHasWhereItMay(layers: CacheLayers, stores: Stores) async throws {
    for (hasImage, hasBytes) in Self.contents {
      let tiers = TieredCacheTests()
      let entry = try CacheEntry.sample(hasImage: hasImage, hasBytes: hasBytes)
      try await tiers.cache(stores).store(entry, for: key, in: layers)

      let usable = layers.intersection(stores.layers)
      let inMemory = usable.contains(.memory) && (hasImage || hasBytes)
      let onDisk = usable.contains(.disk) && hasBytes
      #expect(tiers.memory.calls == (inMemory ? [.store(key)] : []), "image \(hasImage), bytes \(hasBytes)")
      #expect(tiers.disk.calls == (onDisk ? [.store(key)] : []), "image \(hasImage), bytes \(hasBytes)")
      if onDisk { #expect(tiers.disk.entries[key]?.bytes?.count == entry.bytes?.count) }
    }
  }

  // MARK: The rest

  @Test(arguments: layerSets, Stores.allCases)
  func commandsReachTheLayersThatAreNamedAndThere(layers: CacheLayers, stores: Stores) async throws {
    let usable = layers.intersection(stores.layers)
    memory.seed(try .sample(), for: key)
    disk.seed(try .sample(), for: key)
    let cache = cache(stores)

    #expect(try await cache.contains(key, in: layers) == usable)
    #expect(try await cache.count(in: layers) == (usable.contains(.memory) ? 1 : 0) + (usable.contains(.disk) ? 1 : 0))
    let sizes = try await (cache.size(of: layers), memory.totalCost, disk.totalSize())
    #expect(sizes.0 == (usable.contains(.memory) ? sizes.1 : 0) + (usable.contains(.disk) ? sizes.2 : 0))
    memory.forgetCalls()
    disk.forgetCalls()

    try await cache.trim(layers)
    try await cache.remove(key, from: layers)
    try await cache.clear(layers)
    let expected: [StoreCall] = [.trim, .remove(key), .clear]
    #expect(memory.calls == (usable.contains(.memory) ? expected : []))
    #expect(disk.calls == (usable.contains(.disk) ? expected : []))
  }

  @Test(arguments: Stores.allCases)
  func aRenewalReachesBothStores(stores: Stores) async throws {
    memory.seed(try .sample(), for: key)
    disk.seed(try .sample(), for: key)
    try await cache(stores).renew(response, ofOriginal: key.originalKey, generation: 1, in: .all)
    #expect((memory.entries[key]?.record.response == response) == stores.layers.contains(.memory))
    #expect((disk.entries[key]?.record.response == response) == stores.layers.contains(.disk))
  }

  @Test func nothingOfAnUnstorableScopeReachesTheDisk() async throws {
    let key = unstorableKey()
    let cache = cache(.both)
    try await cache.store(.sample(), for: key, in: .all)
    #expect(memory.calls == [.store(key)])
    memory.removeAll()
    #expect(try await cache.query(key, in: .all)?.layer == nil)
    #expect(try await cache.contains(key, in: .all) == [])
    try await cache.renew(response, ofOriginal: key, generation: 1, in: .all)
    try await cache.remove(key, from: .all)
    #expect(disk.calls.isEmpty)
  }

  @Test(arguments: [StoreOperation.query, .store, .renew, .remove, .contains, .clear, .trim, .count, .size])
  func whatTheDiskFailsWithIsTheCauseOfACacheFailure(operation: StoreOperation) async throws {
    disk.fail(operation, with: Failure())
    let cache = cache(.both)
    let error = await #expect(throws: ImageError.self) {
      switch operation {
      case .query: _ = try await cache.query(key, in: .all)
      case .store: try await cache.store(.sample(), for: key, in: .all)
      case .renew: try await cache.renew(response, ofOriginal: key, generation: 1, in: .all)
      case .remove: try await cache.remove(key, from: .all)
      case .contains: _ = try await cache.contains(key, in: .all)
      case .clear: try await cache.clear(.all)
      case .trim: try await cache.trim(.all)
      case .count: _ = try await cache.count(in: .all)
      case .size: _ = try await cache.size(of: .all)
      }
    }
    #expect(error?.code == .cacheFailed)
    #expect(error?.underlyingError is Failure)
  }

  @Test func anEntryIsInMemoryEvenWhenTheDiskFails() async throws {
    disk.fail(.store, with: Failure())
    await #expect(throws: ImageError.self) { try await cache(.both).store(.sample(), for: key, in: .all) }
    #expect(memory.entries[key] != nil)
  }

  @Test func theDiskIsAskedOutsideTheCooperativePool() async throws {
    disk.suspend(.query)
    let cache = cache(.disk)
    let queries = (0..<2 * CPUBudget.processors).map { _ in Task { try await cache.query(key, in: .disk) } }
    await disk.waitUntilSuspended(.query)
    // If each query blocked a thread of the pool, nothing could run here any more.
    await Task.detached {}.value
    disk.resume(.query)
    for query in queries { #expect(try await query.value?.layer == nil) }
  }

  @Test func aCancelledQueryThatNoThreadTookNeverAsksTheDisk() async throws {
    let workers = WorkerSet.patient(threads: 1)
    let cache = TieredCache(memory: nil, disk: disk, workers: workers)
    disk.suspend(.query)
    let first = Task { try await cache.query(CacheKey(original: "first"), in: .disk) }
    await disk.waitUntilSuspended(.query)
    let second = Task { try await cache.query(key, in: .disk) }
    second.cancel()
    let error = await #expect(throws: ImageError.self) { try await second.value }
    #expect(error?.code == .cancelled)
    disk.resume(.query)
    _ = try await first.value
    #expect(disk.calls == [.query(CacheKey(original: "first"))])
  }
}
