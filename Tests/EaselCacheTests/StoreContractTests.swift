import EaselCore
import EaselDisk
import EaselMemory
import EaselTestSupport
import EaselTiers
import Testing

/// Checks the stores, and the caches made of them, against the contracts of stores and caches.
struct StoreContractTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func memoryStore() async {
    let contract = MemoryStoreContract(makeBounded: { makeMemory(countLimit: $0) }, makeStore: { makeMemory() })
    #expect(await contract.check() == [])
  }

  @Test func memoryStoreThatFindsShownImagesAndLetsEntriesAge() async {
    let contract = MemoryStoreContract {
      let store = makeMemory()
      store.configuration.findsShownImages = true
      store.configuration.timeToLive = .seconds(60)
      return store
    }
    #expect(await contract.check() == [])
  }

  @Test func diskStore() async {
    let directory = directory
    let contract = DiskStoreContract(
      reopen: { store in directory.makeDisk(at: (store as? SQLiteDiskStore)?.directory) },
      makeStore: { directory.makeDisk() })
    #expect(await contract.check() == [])
  }

  @Test(arguments: [CacheLayers.memory, .disk, .local])
  func tieredCache(layers: CacheLayers) async {
    let directory = directory
    let contract = ImageCacheContract(layers: layers) {
      TieredCache(
        memory: layers.contains(.memory) ? makeMemory() : nil,
        disk: layers.contains(.disk) ? directory.makeDisk() : nil)
    }
    #expect(await contract.check() == [])
  }

  @Test(arguments: [CacheGroup.Policy.serial, .concurrent])
  func cacheGroup(policy: CacheGroup.Policy) async {
    let directory = directory
    let contract = ImageCacheContract {
      let caches = [false, true].map { _ in TieredCache(memory: makeMemory(), disk: directory.makeDisk()) }
      var policies = CacheGroup.Policies()
      policies.query = policy
      return CacheGroup(caches, policies: policies)
    }
    #expect(await contract.check() == [])
  }
}
