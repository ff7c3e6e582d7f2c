import EaselCore
import EaselDisk
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone)) struct ClosedStoreTests {
  /// Counted in a separate process, where nothing else starts threads or opens files.
  @Test(arguments: ["close", "release"])
  func closedStoresKeepNoThreadAndNoDescriptor(way: String) throws {
    let directory = try TemporaryDirectory()
    #expect(try Child(["end", directory.path + "/cache", "1", way]).waitForSuccess())
  }

  @Test func aClosedStoreTidiesItselfAgainOnceItIsUsed() async throws {
    let (directory, clock) = (try TemporaryDirectory(), ManualClock())
    let store = SQLiteDiskStore(
      directory: directory.path + "/cache", clock: clock, largestInline: 1000, maintenanceInterval: .seconds(60))
    try store.store(entry(1, count: 5000), for: key(1))
    await clock.waitForSleepers()
    store.close()
    while clock.sleeperCount > 0 { await Task.yield() }
    clock.advance(by: day * 8)
    try store.store(entry(2, count: 5000), for: key(2))
    await clock.waitForSleepers()
    clock.advance(by: day * 8)
    await clock.waitForSleepers()
    #expect(directory.bodyFiles.isEmpty)
  }

  @Test func keysOfOtherBytesAreOtherEntriesThoughTheyReadTheSame() throws {
    let directory = try TemporaryDirectory()
    let store = makeStore(directory)
    let forms = ["caf\u{E9}", "cafe\u{301}"]
    let keys = forms.flatMap { form in
      [
        CacheKey(original: form), CacheKey(original: "a", suffixes: [CacheKey.Suffix(form)]),
        CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: form, value: "1")])),
        CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "n", value: form)])),
      ]
    }
    for count in [100, 5000] {
      for (number, key) in keys.enumerated() { try store.store(entry(number, count: count), for: key) }
      // The second time uses remembered values of the first.
      for _ in 0..<2 {
        for (number, key) in keys.enumerated() { #expect(try store.bytes(for: key) == body(number, count: count)) }
      }
      #expect(try store.count() == keys.count)
    }
    try store.remove(keys[1])
    #expect(try store.bytes(for: keys[5]) == body(5, count: 5000))
  }
}
