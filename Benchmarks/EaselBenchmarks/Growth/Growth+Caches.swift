import CEaselBenchSupport
import Easel
import EaselBenchmarkHarness
import FoundationEssentials

/// Caches with an increasing number of entries.
extension Growth {
  private static let record = CacheRecord(stored: Date(timeIntervalSince1970: 0), generation: 1)

  static func memoryHit(_ count: Int) throws -> GrowthPoint {
    let store = LRUMemoryStore(.init(costLimit: 1 << 30))
    let keys = (0..<count).map(key)
    for key in keys { store.store(CacheEntry(bytes: ImageBytes([1]), record: record), for: key) }
    let turns = 200_000
    let questions = AtHand((0..<turns).map { keys[place($0, of: count)] })
    let microseconds = best(per: turns) {
      var found = 0
      for turn in 0..<turns where questions.with(turn, { store.entry(for: $0) != nil }) { found += 1 }
      blackHole(found)
    }
    return GrowthPoint(series: "memory cache: hit", count: count, microseconds: microseconds)
  }

  /// A dictionary in C with the same locks and references shows the effect of the processor's caches for this many
  /// entries.
  static func dictionaryHit(_ count: Int) -> GrowthPoint {
    let entry = CacheEntry(bytes: ImageBytes([1]), record: record)
    let dictionary = easel_bench_dictionary_make(
      UInt64(16 + count / 64), easel_bench_size_of_allocation(Unmanaged.passUnretained(entry).toOpaque()))
    defer { easel_bench_dictionary_free(dictionary) }
    let keys = (0..<count).map { number in
      let hash = UInt64(truncatingIfNeeded: key(number).precomputedHash)
      return easel_bench_key(hash: hash, rest: ~hash)
    }
    for key in keys { easel_bench_dictionary_insert(dictionary, key) }
    let turns = 200_000
    let questions = (0..<turns).map { keys[place($0, of: count)] }
    let microseconds = best(per: turns) {
      questions.withUnsafeBufferPointer {
        blackHole(easel_bench_dictionary_lookup(dictionary, $0.baseAddress!, UInt64(turns)))
      }
    }
    return GrowthPoint(series: "a dictionary in C: hit", count: count, microseconds: microseconds)
  }

  /// Each store evicts an entry, because the cache is full.
  static func memoryStore(_ count: Int) throws -> GrowthPoint {
    let store = LRUMemoryStore(.init(costLimit: 1 << 30, countLimit: count))
    let turns = 50_000
    let keys = (0..<count + turns).map(key)
    let entry = CacheEntry(bytes: ImageBytes([1]), record: record)
    for key in keys { store.store(entry, for: key) }
    let microseconds = best(per: turns) { for key in keys[..<turns] { store.store(entry, for: key) } }
    return GrowthPoint(series: "memory cache: store and evict", count: count, microseconds: microseconds)
  }

  static func managerHit(_ count: Int) async throws -> GrowthPoint {
    let store = LRUMemoryStore(.init(costLimit: 1 << 30))
    let manager = ImageManager(.init(loader: HeldLoader(), coder: CoderRegistry(), cache: TieredCache(memory: store)))
    let requests = (0..<count).map { ImageRequest(url($0)) }
    for request in requests { _ = try await manager.image(for: request) }
    let turns = 200_000
    let questions = AtHand((0..<turns).map { requests[place($0, of: count)] })
    let microseconds = best(per: turns) {
      var found = 0
      for turn in 0..<turns where questions.with(turn, { manager.cachedImage(for: $0) != nil }) { found += 1 }
      blackHole(found)
    }
    return GrowthPoint(series: "manager: memory hit", count: count, microseconds: microseconds)
  }

  static func disk(_ count: Int) throws -> [GrowthPoint] {
    let directory = FileManager.default.temporaryDirectory.path + "/easel-growth-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = SQLiteDiskStore(directory: directory)
    defer { store.close() }
    let entry = CacheEntry(bytes: ImageBytes([UInt8](repeating: 7, count: 2000)), record: record)
    for number in 0..<count { try store.store(entry, for: key(number)) }
    let turns = 1000
    let hit = try best(per: turns) {
      for turn in 0..<turns { blackHole(try store.entry(for: key(place(turn, of: count)))) }
    }
    let stored = try best(per: turns) {
      for turn in 0..<turns { try store.store(entry, for: key(place(turn, of: count))) }
    }
    return [
      GrowthPoint(series: "disk cache: hit", count: count, microseconds: hit),
      GrowthPoint(series: "disk cache: store", count: count, microseconds: stored),
    ]
  }
}
