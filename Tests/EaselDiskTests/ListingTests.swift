import EaselCore
import EaselDisk
import EaselTestSupport
import EaselWorkers
import Testing

/// Entries that are listed some at a time.
@Suite struct ListingTests {
  @Test func everyEntryIsListedOnce() throws {
    let directory = try TemporaryDirectory()
    let store = makeStore(directory)
    #expect(try store.listing(from: .min).entries.isEmpty && store.listing(from: .min).next == nil)
    for number in 0..<150 { try store.store(entry(number, count: 10), for: key(number)) }
    var found: [CacheKey] = []
    var place: Int64? = .min
    var parts = 0
    while let start = place {
      let listing = try store.listing(from: start)
      found += listing.entries.map(\.key)
      #expect(listing.entries.allSatisfy { $0.byteCount == 10 && $0.record != nil })
      // What was listed may be removed meanwhile.
      for entry in listing.entries { try store.remove(entry.key) }
      place = listing.next
      parts += 1
    }
    #expect(parts > 1 && found.count == 150 && Set(found) == Set((0..<150).map { key($0) }))
    #expect(try store.count() == 0)
  }
}
