import EaselCore
import EaselMemory
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@Suite struct LRUMemoryStoreTests {
  @Test func whatWasStoredIsFoundAndCounted() {
    let store = makeStore()
    let first = entry(cost: 10)
    store.store(first, for: key(1))
    store.store(entry(cost: 20), for: key(2))
    #expect(store.entry(for: key(1)) === first)
    #expect(store.entry(for: key(3)) == nil)
    #expect(store.contains(key(2)) && !store.contains(key(3)))
    #expect(store.count == 2)
    #expect(store.totalCost == 30)
  }

  @Test func aLaterEntryTakesThePlaceOfAnEarlier() {
    let store = makeStore()
    store.store(entry(cost: 10), for: key(1))
    let second = entry(cost: 3)
    store.store(second, for: key(1))
    #expect(store.entry(for: key(1)) === second)
    #expect(store.count == 1)
    #expect(store.totalCost == 3)
  }

  @Test func removedEntriesAreGone() {
    let store = makeStore()
    for number in 0..<100 { store.store(entry(), for: key(number)) }
    store.remove(key(50))
    store.remove(key(50))
    #expect(store.entry(for: key(50)) == nil)
    #expect(store.count == 99)
    store.removeAll()
    #expect((0..<100).allSatisfy { store.entry(for: key($0)) == nil })
    #expect(store.count == 0 && store.totalCost == 0)
    store.store(entry(), for: key(1))
    #expect(store.contains(key(1)))
  }

  @Test func keysThatDifferInAnyPartAreDifferentEntries() {
    let store = makeStore()
    let keys = [
      CacheKey(original: "a"), CacheKey(original: "b"),
      CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "n", value: "v")])),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("Flip(1,0)")]),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("Flip(1,0)", origin: .custom)]),
    ]
    let entries = keys.map { _ in entry() }
    for (key, entry) in zip(keys, entries) { store.store(entry, for: key) }
    for (key, entry) in zip(keys, entries) { #expect(store.entry(for: key) === entry) }
  }

  @Test func theEntryUnusedForLongestGoesFirst() {
    let store = makeStore(count: 3)
    for number in 1...3 { store.store(entry(), for: key(number)) }
    _ = store.entry(for: key(1))
    store.store(entry(), for: key(4))
    #expect(!store.contains(key(2)))
    _ = store.entry(for: key(3))
    store.store(entry(), for: key(5))
    #expect(!store.contains(key(1)))
    #expect(store.contains(key(3)) && store.contains(key(4)) && store.contains(key(5)))
  }

  @Test func askingWhetherItIsThereIsNoUse() {
    let store = makeStore(count: 2)
    store.store(entry(), for: key(1))
    store.store(entry(), for: key(2))
    _ = store.contains(key(1))
    store.store(entry(), for: key(3))
    #expect(!store.contains(key(1)))
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func amongAThousandTheEvictedOneIsWithinTheOldestTwentieth(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let store = makeStore(count: 1000)
    var order = Array(0..<1000)
    for number in order { store.store(entry(), for: key(number)) }
    for next in 1000..<3000 {
      for _ in 0..<Int.random(in: 0..<6, using: &generator) {
        let place = Int.random(in: 0..<order.count, using: &generator)
        _ = store.entry(for: key(order[place]))
        order.append(order.remove(at: place))
      }
      store.store(entry(), for: key(next))
      order.append(next)
      let gone = order.firstIndex { !store.contains(key($0)) }
      #expect(gone.map { $0 < 50 } == true)
      if let gone { order.remove(at: gone) }
    }
  }

  @Test func usingEverythingBackwardsTurnsTheOrderAround() {
    let store = makeStore(count: 1000)
    for number in 0..<1000 { store.store(entry(), for: key(number)) }
    for number in (0..<1000).reversed() { _ = store.entry(for: key(number)) }
    store.store(entry(), for: key(1000))
    let gone = (0..<1000).first { !store.contains(key($0)) }
    #expect(gone.map { $0 >= 950 } == true)
  }

  @Test func limitsHoldOverAllPartsTogether() {
    let store = makeStore(cost: 1000, count: 40)
    for number in 0..<500 {
      store.store(entry(cost: number % 60 + 1), for: key(number))
      #expect(store.totalCost <= 1000 && store.count <= 40)
    }
    #expect(store.totalCost > 900 || store.count == 40)
  }

  @Test func limitsChangeWhileItLives() {
    let store = makeStore(cost: 1000)
    for number in 0..<100 { store.store(entry(cost: 10), for: key(number)) }
    store.configuration.costLimit = 500
    #expect(store.totalCost == 500)
    #expect((50..<100).allSatisfy { store.contains(key($0)) })
    store.configuration.countLimit = 7
    #expect(store.count == 7)
    store.configuration.countLimit = nil
    store.configuration.costLimit = 2000
    for number in 0..<100 { store.store(entry(cost: 10), for: key(number)) }
    #expect(store.count == 100)
    store.configuration.costLimit = 0
    #expect(store.count == 0)
  }

  @Test func oneEntryMayNotTakeMoreThanItsShare() {
    let store = makeStore(cost: 100)
    store.store(entry(cost: 10), for: key(1))
    store.store(entry(cost: 51), for: key(2))
    #expect(!store.contains(key(2)) && store.contains(key(1)))
    store.store(entry(cost: 50), for: key(2))
    #expect(store.contains(key(2)))
    store.configuration.largestShare = 0.2
    #expect(!store.contains(key(2)) && store.contains(key(1)))
    store.configuration.largestShare = 1
    store.store(entry(cost: 100), for: key(3))
    #expect(store.contains(key(3)) && store.count == 1)
  }

  @Test func anEntryTooLargeStillTakesTheOldOneAway() {
    let store = makeStore(cost: 100)
    store.store(entry(cost: 10), for: key(1))
    store.store(entry(cost: 80), for: key(1))
    #expect(store.entry(for: key(1)) == nil)
    #expect(store.totalCost == 0)
  }

  @Test func entriesEndWithTheirTimeToLive() {
    let clock = ManualClock()
    let store = makeStore(clock: clock) { $0.timeToLive = .seconds(10) }
    store.store(entry(), for: key(1))
    clock.advance(by: .seconds(6))
    store.store(entry(), for: key(2))
    #expect(store.entry(for: key(1)) != nil)
    clock.advance(by: .seconds(4))
    #expect(!store.contains(key(1)))
    #expect(store.entry(for: key(1)) == nil)
    #expect(store.count == 1)
    clock.advance(by: .seconds(6))
    #expect(store.count == 1)
    store.trim()
    #expect(store.count == 0)
  }

  @Test func aTimeToLiveThatComesLaterCountsFromWhenAnEntryWasStored() {
    let clock = ManualClock()
    let store = makeStore(clock: clock)
    store.store(entry(), for: key(1))
    clock.advance(by: .seconds(100))
    #expect(store.entry(for: key(1)) != nil)
    store.configuration.timeToLive = .seconds(60)
    #expect(store.count == 0)
  }

  @Test func renewingReachesTheOriginalAndAllVariantsAndNothingElse() {
    let store = makeStore()
    let scope = CacheKey.Scope(parts: [.init(name: "user", value: "1")])
    let others = [key(2), key(2, "Flip(1,0)"), CacheKey(original: key(1).original, scope: scope)]
    let ours = [key(1), key(1, "Flip(1,0)"), key(1, "Flip(1,0)", "Blur(2)")]
    for each in ours + others { store.store(entry(generation: 5), for: each) }
    store.renew(response("new"), ofOriginal: key(1, "Anything"), generation: 5)
    for each in ours {
      #expect(store.entry(for: each)?.record.response == response("new"))
      #expect(store.entry(for: each)?.record.generation == 5)
    }
    for each in others { #expect(store.entry(for: each)?.record.response == nil) }
    #expect(store.totalCost == 6)
  }

  @Test func renewingForgetsWhatWasMadeOfOtherBytes() {
    let store = makeStore()
    store.store(entry(generation: 5), for: key(1))
    store.store(entry(generation: 4), for: key(1, "Flip(1,0)"))
    store.store(entry(generation: 4), for: key(2))
    store.renew(nil, ofOriginal: key(1), generation: 5)
    #expect(store.entry(for: key(1))?.record.response == nil)
    #expect(!store.contains(key(1, "Flip(1,0)")) && store.contains(key(2)))
    #expect(store.count == 2 && store.totalCost == 2)
  }

  @Test func aStoreThatIsAskedWhileItLetsGoDoesNotHang() throws {
    let store = makeStore(count: 1)
    let asked = Locked(0)
    for number in 0..<10 {
      let frames = FramesThatTell { [weak store] in
        _ = store?.entry(for: key(0))
        asked.withLock { $0 += 1 }
      }
      let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8)
      let image = Image(bitmap, frames: frames)
      store.store(
        CacheEntry(image: image, record: CacheRecord(stored: storedDate, generation: 1)), for: key(number % 2))
    }
    store.removeAll()
    #expect(asked.withLock { $0 } == 10)
  }

  @Test(arguments: [1, 2, 3])
  func itAgreesWithAPlainModel(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let store = makeStore(cost: 300, count: 24)
    var model = ModelOfLRU(costLimit: 300, countLimit: 24)
    for _ in 0..<4000 {
      let each = key(Int.random(in: 0..<60, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        let fresh = entry(cost: Int.random(in: 1...40, using: &generator))
        store.store(fresh, for: each)
        model.store(fresh, for: each)
      case 4..<9: #expect(store.entry(for: each) === model.entry(for: each))
      default:
        store.remove(each)
        model.remove(each)
      }
      #expect(store.count == model.entries.count && store.totalCost == model.cost)
    }
  }

  @Test func manyThreadsKeepItsBooksInOrder() async {
    let store = makeStore(cost: 500, count: 100)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var generator = SeededRandom(seed: UInt64(worker))
          for step in 0..<5000 {
            let each = key(Int.random(in: 0..<200, using: &generator))
            switch step % 7 {
            case 0, 1: store.store(entry(cost: Int.random(in: 1...9, using: &generator)), for: each)
            case 2: store.remove(each)
            case 3: store.renew(response("\(step)"), ofOriginal: each, generation: UInt64(step % 21 == 3 ? 2 : 1))
            default: _ = store.entry(for: each)
            }
          }
        }
      }
    }
    store.trim()
    let kept = (0..<200).compactMap { store.entry(for: key($0)) }
    #expect(kept.count == store.count && store.count <= 100)
    #expect(kept.reduce(0) { $0 + $1.memoryCost } == store.totalCost && store.totalCost <= 500)
    store.removeAll()
    #expect(store.count == 0 && store.totalCost == 0)
  }
}
