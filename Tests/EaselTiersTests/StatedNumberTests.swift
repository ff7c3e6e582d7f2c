import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselTiers

/// Stores that state numbers which no machine can hold.
struct StatedNumberTests {
  private struct Memory: MemoryStore {
    let number: Int

    func entry(for key: CacheKey) -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) {}
    func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {}
    func remove(_ key: CacheKey) {}
    func contains(_ key: CacheKey) -> Bool { false }
    func removeAll() {}
    func trim() {}
    var count: Int { number }
    var totalCost: Int { number }
  }

  private struct Disk: DiskStore {
    let number: Int

    func entry(for key: CacheKey) throws -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) throws {}
    func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {}
    func remove(_ key: CacheKey) throws {}
    func contains(_ key: CacheKey) throws -> Bool { false }
    func removeAll() throws {}
    func trim() throws {}
    func count() throws -> Int { number }
    func totalSize() throws -> Int { number }
  }

  private struct Shared: SharedStore {
    let number: Int

    func entry(for key: CacheKey) async throws -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) async throws {}
    func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {}
    func remove(_ key: CacheKey) async throws {}
    func contains(_ key: CacheKey) async throws -> Bool { false }
    func removeAll() async throws {}
    func count() async throws -> Int? { number }
    func totalSize() async throws -> Int? { number }
  }

  private func cache(_ memory: Int, _ disk: Int, _ shared: Int) -> TieredCache {
    TieredCache(
      memory: Memory(number: memory), disk: Disk(number: disk), shared: Shared(number: shared),
      workers: .patient())
  }

  private static let sums: [([Int], Int)] = [
    ([.max, .max, .max], .max), ([.max, 1, 0], .max), ([0, .max, 1], .max), ([1, 0, .max], .max),
    ([.min, .min, .min], 0), ([-1, 5, .min], 5), ([1, 2, 3], 6),
  ]

  @Test(arguments: sums) func theSumOfTheLayersIsClamped(_ numbers: [Int], _ sum: Int) async throws {
    let cache = cache(numbers[0], numbers[1], numbers[2])
    #expect(try await cache.count(in: .all) == sum)
    #expect(try await cache.size(of: .all) == sum)
  }

  @Test(arguments: sums) func theSumOfAGroupIsClamped(_ numbers: [Int], _ sum: Int) async throws {
    let group = CacheGroup(numbers.map { cache(0, $0, 0) })
    #expect(try await group.count(in: .disk) == sum)
    #expect(try await group.size(of: .disk) == sum)
  }
}
