import CEaselBenchSupport
import EaselBenchmarkHarness
import EaselCore
import EaselMemory
import Foundation
import Glibc

func memoryCases() -> [BenchmarkCase] {
  let group = "memory"
  return [
    BenchmarkCase("a hit, key at hand", group: group, against: "a plain sharded dictionary in C", atMost: 1.3) {
      let trace = MemoryTrace()
      let store = trace.makeStore()
      let dictionary = PlainDictionary(trace)
      return BenchmarkPair(
        subject: .loop { trace.hit(store, times: $0) },
        baseline: .loop { dictionary.hit(times: $0) })
    },
    BenchmarkCase("hits by two threads, time per hit", group: group, against: "by one thread", atMost: 1) {
      let trace = MemoryTrace()
      let store = trace.makeStore()
      return BenchmarkPair(
        subject: .loop { times in byTwoThreads(times) { trace.hit(store, times: $0, from: $1) } },
        baseline: .loop { trace.hit(store, times: $0) })
    },
    // This shows the part of the cost that locks and reference counts between this machine's processors cause.
    BenchmarkCase(
      "hits by two threads", group: group, against: "a plain sharded dictionary in C by two threads", atMost: 1.5
    ) {
      let trace = MemoryTrace()
      let store = trace.makeStore()
      let dictionary = PlainDictionary(trace)
      return BenchmarkPair(
        subject: .loop { times in byTwoThreads(times) { trace.hit(store, times: $0, from: $1) } },
        baseline: .loop { times in byTwoThreads(times) { dictionary.hit(times: $0, from: $1) } })
    },
    BenchmarkCase("a hit, key at hand", group: group, against: "NSCache", atMost: 0.125) {
      let trace = MemoryTrace()
      let store = trace.makeStore()
      let cache = NSCache<NSString, CacheEntry>()
      let names = trace.keys.map { NSString(string: $0.original) }
      for (name, entry) in zip(names, trace.entries) { cache.setObject(entry, forKey: name) }
      return BenchmarkPair(
        subject: .loop { trace.hit(store, times: $0) },
        baseline: .loop { repetitions in
          for turn in 0..<repetitions { blackHole(cache.object(forKey: names[trace.order[turn & trace.mask]])) }
        })
    },
    BenchmarkCase("store and let the oldest go", group: group, against: "a hit") {
      let trace = MemoryTrace()
      let full = trace.makeStore(countLimit: 5000)
      let store = trace.makeStore()
      var next = 0
      return BenchmarkPair(
        subject: .loop { repetitions in
          for _ in 0..<repetitions {
            full.store(trace.entries[next], for: trace.keys[next])
            next = (next + 1) % trace.keys.count
          }
        },
        baseline: .loop { trace.hit(store, times: $0) })
    },
  ]
}

/// Runs half of the work on each of two threads, which begin at different places.
private func byTwoThreads(_ times: Int, _ body: @Sendable (_ times: Int, _ start: Int) -> Void) {
  let halves = [times / 2, times - times / 2]
  DispatchQueue.concurrentPerform(iterations: 2) { body(halves[$0], $0 * 4001) }
}

/// 10,000 entries, a few of which receive most of the lookups.
private final class MemoryTrace: Sendable {
  let keys: [CacheKey]
  let entries: [CacheEntry]
  let order: [Int]
  let questions: AtHand<CacheKey>
  let mask = (1 << 16) - 1

  init() {
    keys = (0..<10_000).map {
      CacheKey(original: "https://images.example.org/albums/2026/november/thumbnails/picture-\($0).jpeg")
    }
    let record = CacheRecord(stored: Date(timeIntervalSince1970: 0), generation: 1)
    entries = keys.map { _ in CacheEntry(bytes: ImageBytes([1]), record: record) }
    var sums: [Double] = []
    for rank in 1...keys.count { sums.append((sums.last ?? 0) + 1 / pow(Double(rank), 0.9)) }
    // Popular pictures are scattered, not side by side.
    let count = keys.count
    let places = (0..<count).map { $0 * 7919 % count }
    var state: UInt64 = 88_172_645_463_325_252
    let order = (0...mask).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let wanted = Double(state >> 11) / Double(1 << 53) * sums.last!
      return places[min(count - 1, sums.partitioningIndex { $0 > wanted })]
    }
    self.order = order
    questions = AtHand(order.map { [keys] in keys[$0] })
  }

  func makeStore(countLimit: Int? = nil) -> LRUMemoryStore {
    let store = LRUMemoryStore(.init(costLimit: 1 << 30, countLimit: countLimit))
    for (key, entry) in zip(keys, entries) { store.store(entry, for: key) }
    return store
  }

  func hit(_ store: LRUMemoryStore, times: Int, from start: Int = 0) {
    var found = 0
    for turn in start..<start + times where questions.with(turn & mask, { store.entry(for: $0) != nil }) { found += 1 }
    blackHole(found)
  }
}

/// Unchecked because the dictionary has its own locks and its address never changes.
private final class PlainDictionary: @unchecked Sendable {
  private let dictionary: OpaquePointer?
  private let order: [easel_bench_key]

  init(_ trace: MemoryTrace) {
    let entry = Unmanaged.passUnretained(trace.entries[0]).toOpaque()
    dictionary = easel_bench_dictionary_make(256, easel_bench_size_of_allocation(entry))
    let keys = trace.keys.map { key in
      let hash = UInt64(truncatingIfNeeded: key.precomputedHash)
      return easel_bench_key(hash: hash, rest: ~hash)
    }
    for key in keys { easel_bench_dictionary_insert(dictionary, key) }
    order = trace.order.map { keys[$0] }
  }

  deinit { easel_bench_dictionary_free(dictionary) }

  func hit(times: Int, from start: Int = 0) {
    var (left, start) = (times, start)
    while left > 0 {
      let now = min(left, order.count - start)
      order.withUnsafeBufferPointer {
        blackHole(easel_bench_dictionary_lookup(dictionary, $0.baseAddress! + start, UInt64(now)))
      }
      (left, start) = (left - now, 0)
    }
  }
}

extension [Double] {
  /// The first index whose value satisfies the condition, if all later values satisfy it too.
  fileprivate func partitioningIndex(where isWanted: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isWanted(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
