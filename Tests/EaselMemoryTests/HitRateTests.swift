import EaselCore
import EaselMemory
import EaselTestSupport
import Glibc
import Testing

/// Compares the store with a list in exact order, for typical sequences of requests.
@Suite struct HitRateTests {
  @Test(arguments: [1, 2])
  func whereFewPicturesAreAskedForMostOfTheTime(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let trace = zipf(pictures: 20_000, count: 150_000, using: &generator)
    #expect(hits(of: trace, keeping: 2000) >= 0.99 * exactHits(of: trace, keeping: 2000))
  }

  @Test func whereAListIsScrolledDownAndUp() {
    var trace: [Int] = []
    for page in 0..<100 {
      trace += page * 100..<page * 100 + 300
      trace += (page * 100 + 150..<page * 100 + 300).reversed()
    }
    #expect(hits(of: trace, keeping: 1500) >= 0.99 * exactHits(of: trace, keeping: 1500))
  }

  @Test func afterEverythingElseWasLookedAtOnce() {
    var generator = SeededRandom(seed: 3)
    let usual = zipf(pictures: 20_000, count: 120_000, using: &generator)
    let trace = Array(usual[..<60_000]) + Array(100_000..<105_000) + Array(usual[60_000...])
    #expect(hits(of: trace, keeping: 2000) >= 0.99 * exactHits(of: trace, keeping: 2000))
  }

  private func hits(of trace: [Int], keeping limit: Int) -> Double {
    let store = makeStore(count: limit)
    let keys = (0...trace.max()!).map { key($0) }
    let entry = entry()
    var hits = 0
    for number in trace {
      if store.entry(for: keys[number]) != nil { hits += 1 } else { store.store(entry, for: keys[number]) }
    }
    return Double(hits)
  }

  /// The number of hits of an exact list: a request hits if fewer pictures than the limit came since its last request.
  private func exactHits(of trace: [Int], keeping limit: Int) -> Double {
    // A tree that counts the latest uses of all pictures by time.
    var tree = [Int](repeating: 0, count: trace.count + 1)
    func add(_ amount: Int, at time: Int) {
      var index = time + 1
      while index < tree.count {
        tree[index] += amount
        index += index & -index
      }
    }
    func count(before time: Int) -> Int {
      var (index, sum) = (time, 0)
      while index > 0 {
        sum += tree[index]
        index -= index & -index
      }
      return sum
    }
    var latest: [Int: Int] = [:]
    var hits = 0
    for (time, number) in trace.enumerated() {
      if let last = latest[number] {
        if count(before: time) - count(before: last + 1) < limit { hits += 1 }
        add(-1, at: last)
      }
      add(1, at: time)
      latest[number] = time
    }
    return Double(hits)
  }

  private func zipf(pictures: Int, count: Int, using generator: inout SeededRandom) -> [Int] {
    var sums: [Double] = []
    var sum = 0.0
    for rank in 1...pictures {
      sum += 1 / pow(Double(rank), 0.9)
      sums.append(sum)
    }
    return (0..<count).map { _ in
      let wanted = Double.random(in: 0..<sum, using: &generator)
      var (low, high) = (0, pictures - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
