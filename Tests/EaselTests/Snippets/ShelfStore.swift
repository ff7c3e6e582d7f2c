import Easel
import EaselTestSupport
import Testing

// Documentation: writing a shared store.
actor ShelfStore: SharedStore {
  private struct Family {
    var newest: CacheRecord
    var entries: [String: CacheEntry] = [:]
  }

  private var families: [String: Family] = [:]

  func entry(for key: CacheKey) -> CacheEntry? {
    guard let family = families[key.originalKey.diskName], let found = family.entries[key.diskName],
      found.record.generation == family.newest.generation
    else { return nil }
    return found
  }

  func store(_ entry: CacheEntry, for key: CacheKey) {
    let name = key.originalKey.diskName
    var family = families[name] ?? Family(newest: entry.record)
    let isOlder = entry.record.isOlder(than: family.newest)
    if isOlder, entry.record.generation != family.newest.generation { return }
    if !isOlder { family.newest = entry.record }
    family.entries[key.diskName] = CacheEntry(bytes: entry.bytes, record: entry.record)
    families[name] = family
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    guard var family = families[key.diskName] else { return }
    guard let response else {
      if family.newest.generation != generation { families[key.diskName] = nil }
      return
    }
    if let known = family.newest.response, response.isOlder(than: known) { return }
    (family.newest.generation, family.newest.response) = (generation, response)
    for (name, entry) in family.entries where entry.record.generation == generation {
      var record = entry.record
      record.response = response
      family.entries[name] = entry.with(record)
    }
    families[key.diskName] = family
  }

  func remove(_ key: CacheKey) { families[key.originalKey.diskName]?.entries[key.diskName] = nil }

  func contains(_ key: CacheKey) -> Bool { entry(for: key) != nil }

  func removeAll() { families = [:] }
}

struct ShelfStoreTests {
  @Test func theStoreKeepsItsContract() async {
    let contract = SharedStoreContract(connect: { $0 }) { ShelfStore() }
    #expect(await contract.check() == [])
  }

  @Test func aCacheAndACoordinatorAreSetInAFewLines() async {
    let store = ShelfStore()
    let coordinator = InMemoryCoordinator(store: store).node()
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([]), coder: CoderRegistry.standard, cache: TieredCache())
    var settings = TieredCache.SharedStoreSettings()
    settings.answerTime = .milliseconds(50)
    settings.log = { line in print(line) }
    configuration.cache = TieredCache(memory: LRUMemoryStore(), shared: store, sharedSettings: settings)
    configuration.coordinator = coordinator
    #expect(configuration.cache.layers(for: CacheKey(original: "a")) == [.memory, .shared])
    #expect(configuration.coordinator is InMemoryCoordinator.Node)
  }
}
