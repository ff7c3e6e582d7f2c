import EaselCore
import EaselMemory
import EaselTestSupport
import Testing

@Suite struct EvictedImagesTests {
  @Test func anImageThatIsStillShownIsFoundAgainAfterItsEviction() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    var shown = try pictureEntry().image
    store.store(CacheEntry(image: shown, record: record(4)), for: key(1))
    store.store(try pictureEntry(), for: key(2))
    #expect(store.count == 1)
    #expect(store.contains(key(1)))
    let again = store.entry(for: key(1))
    #expect(again?.record == record(4))
    #expect(again?.image?.bitmap == shown?.bitmap)
    #expect(store.count == 1)
    shown = nil
  }

  @Test func anImageThatNobodyShowsIsGone() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    store.store(try pictureEntry(), for: key(1))
    store.store(try pictureEntry(), for: key(2))
    #expect(!store.contains(key(1)))
    #expect(store.entry(for: key(1)) == nil)
  }

  @Test func anImageIsFoundOnlyWhileItIsShown() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    var shown = try pictureEntry().image
    store.store(CacheEntry(image: shown, record: record(1)), for: key(1))
    store.store(try pictureEntry(), for: key(2))
    #expect(store.contains(key(1)))
    shown?.scaleFactor = 2
    #expect(!store.contains(key(1)))
    #expect(shown?.scaleFactor == 2)
    shown = nil
  }

  @Test func withoutTheSettingAnEvictionIsTheEnd() throws {
    let store = makeStore(count: 1)
    let shown = try pictureEntry()
    store.store(shown, for: key(1))
    store.store(try pictureEntry(), for: key(2))
    #expect(store.entry(for: key(1)) == nil)
    withExtendedLifetime(shown) {}
  }

  @Test func removingReachesShownImagesToo() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    let shown = try (0..<3).map { _ in try pictureEntry() }
    for number in 0..<3 { store.store(shown[number], for: key(number)) }
    store.remove(key(0))
    #expect(!store.contains(key(0)) && store.contains(key(1)))
    store.removeAll()
    #expect(!store.contains(key(1)) && !store.contains(key(2)))
    withExtendedLifetime(shown) {}
  }

  @Test func aNewEntryHidesWhatIsStillShown() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    let shown = try pictureEntry()
    store.store(shown, for: key(1))
    store.store(try pictureEntry(), for: key(2))
    store.store(CacheEntry(image: try pictureEntry().image, record: record(9)), for: key(1))
    #expect(store.entry(for: key(1))?.record.generation == 9)
    store.remove(key(1))
    #expect(store.entry(for: key(1)) == nil)
    withExtendedLifetime(shown) {}
  }

  @Test func renewingReachesShownImages() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    let shown = try pictureEntry()
    store.store(shown, for: key(1, "Flip(1,0)"))
    store.store(try pictureEntry(), for: key(2))
    store.renew(response("new"), ofOriginal: key(1), generation: 1)
    #expect(store.entry(for: key(1, "Flip(1,0)"))?.record.response == response("new"))
    withExtendedLifetime(shown) {}
  }

  @Test func renewingForgetsShownImagesOfOtherBytes() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    let shown = try pictureEntry()
    store.store(shown, for: key(1, "Flip(1,0)"))
    store.store(try pictureEntry(), for: key(2))
    store.renew(response("new"), ofOriginal: key(1), generation: 2)
    #expect(store.entry(for: key(1, "Flip(1,0)")) == nil)
    withExtendedLifetime(shown) {}
  }

  @Test func shownImagesAgeAsIfTheyHadStayed() throws {
    let clock = ManualClock()
    let store = makeStore(count: 1, clock: clock) {
      $0.findsShownImages = true
      $0.timeToLive = .seconds(10)
    }
    let shown = try pictureEntry()
    store.store(shown, for: key(1))
    clock.advance(by: .seconds(5))
    store.store(try pictureEntry(), for: key(2))
    clock.advance(by: .seconds(5))
    #expect(store.entry(for: key(1)) == nil)
    withExtendedLifetime(shown) {}
  }

  @Test func manyShownImagesComeAndGo() throws {
    let store = makeStore(count: 1) { $0.findsShownImages = true }
    var shown: [Image?] = []
    for number in 0..<1000 {
      let entry = try pictureEntry()
      shown.append(number % 3 == 0 ? entry.image : nil)
      if number >= 100 { shown[number - 100] = nil }
      store.store(entry, for: key(number))
    }
    #expect((0..<899).allSatisfy { !store.contains(key($0)) })
    #expect((900..<999).allSatisfy { store.contains(key($0)) == ($0 % 3 == 0) })
    withExtendedLifetime(shown) {}
  }

  private func record(_ generation: UInt64) -> CacheRecord {
    CacheRecord(stored: storedDate, generation: generation)
  }
}
