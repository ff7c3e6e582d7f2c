import EaselBenchmarkHarness
import EaselCore
import EaselManager
import EaselSupport
import EaselTiers
import FoundationEssentials

/// The manager's own cost: memory hits, and callers who share a load.
func managerCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("cachedImage, request used before", group: "manager", against: "locked dictionary by key", atMost: 3)
    {
      let (manager, requests) = try await filledManager()
      let keys = requests.map { manager.cacheKey(for: $0)! }
      let entries = Locked(Dictionary(uniqueKeysWithValues: keys.map { ($0, BenchmarkObject()) }))
      return BenchmarkPair(
        subject: lookUp(AtHand(requests), in: manager),
        baseline: lookUp(AtHand(keys)) { key in entries.withLock { $0[key] } })
    },
    BenchmarkCase(
      "cachedImage, request used before", group: "manager", against: "locked dictionary by URL text", atMost: 3
    ) {
      let (manager, requests) = try await filledManager()
      let texts = requests.map { $0.url!.absoluteString }
      let entries = Locked(Dictionary(uniqueKeysWithValues: texts.map { ($0, BenchmarkObject()) }))
      return BenchmarkPair(
        subject: lookUp(AtHand(requests), in: manager),
        baseline: lookUp(AtHand(texts)) { text in entries.withLock { $0[text] } })
    },
    BenchmarkCase("await image, memory hit", group: "manager", against: "a task created and awaited", atMost: 1) {
      let (manager, requests) = try await filledManager()
      var next = 0
      return BenchmarkPair(
        subject: .asyncCall {
          blackHole(try await manager.image(for: requests[next & 1023]))
          next += 1
        },
        baseline: .asyncCall { blackHole(await Task.detached { BenchmarkObject() }.value) })
    },
    BenchmarkCase("10,000 callers join one load", group: "manager", against: "10,000 tasks", atMost: 4) {
      let loader = HeldLoader()
      let manager = benchmarkManager(loader)
      let request = ImageRequest(
        "http://host/shared", options: .fromLoaderOnly, context: [.storeLayers([])])
      let count = 10_000
      return BenchmarkPair(
        subject: .asyncCall {
          // This uses no task group, because removing one of many children takes time in proportion to their number.
          loader.hold()
          let tasks = (0..<count).map { _ in Task.detached { blackHole(try await manager.image(for: request)) } }
          while manager.runningCount < count { try await Task.sleep(for: .milliseconds(1)) }
          loader.letGo()
          for task in tasks { try await task.value }
        },
        baseline: .asyncCall {
          let object = BenchmarkObject()
          let tasks = (0..<count).map { _ in Task.detached { blackHole(object) } }
          for task in tasks { await task.value }
        })
    },
  ]
}

private final class BenchmarkObject: Sendable {}

private func benchmarkManager(_ loader: any ImageLoader) -> ImageManager {
  ImageManager(.init(loader: loader, coder: CoderRegistry(), cache: TieredCache(memory: DictionaryStore())))
}

/// Lookups by a caller who keeps each question and copies none.
private func lookUp<Question: Sendable>(
  _ questions: AtHand<Question>, _ answer: @escaping (Question) -> BenchmarkObject?
) -> BenchmarkSide {
  .loop { repetitions in
    for index in 0..<repetitions { blackHole(questions.with(index & 1023) { answer($0) }) }
  }
}

private func lookUp(_ requests: AtHand<ImageRequest>, in manager: ImageManager) -> BenchmarkSide {
  .loop { repetitions in
    for index in 0..<repetitions { blackHole(requests.with(index & 1023) { manager.cachedImage(for: $0) }) }
  }
}

/// A manager with 1024 pictures in memory, and requests that were used before.
private func filledManager() async throws -> (ImageManager, [ImageRequest]) {
  let manager = benchmarkManager(HeldLoader())
  let requests = (0..<1024).map {
    ImageRequest("https://images.example.com/some/folder/with/pictures/picture-\($0).jpeg?width=320&height=240")
  }
  for request in requests { _ = try await manager.image(for: request) }
  return (manager, requests)
}

/// The simplest memory store that works.
private final class DictionaryStore: MemoryStore {
  private let entries = Locked<[CacheKey: CacheEntry]>([:])

  func entry(for key: CacheKey) -> CacheEntry? { entries.withLock { $0[key] } }
  func store(_ entry: CacheEntry, for key: CacheKey) { entries.withLock { $0[key] = entry } }
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {}
  func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
  func contains(_ key: CacheKey) -> Bool { entries.withLock { $0[key] != nil } }
  func removeAll() { entries.withLock { $0 = [:] } }
  func trim() {}
  var count: Int { entries.withLock { $0.count } }
  var totalCost: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.memoryCost } } }
}
