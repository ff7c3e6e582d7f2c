import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselMemcached

@Suite(.tags(.alone), .enabled(if: MemcachedProcess.isAvailable, "\(MemcachedProcess.missing ?? "")"))
struct MemcachedStoreTests {
  private let key = CacheKey(original: "http://a/b.png")
  private let variant = CacheKey(
    original: "http://a/b.png", suffixes: [CacheKey.Suffix("Encode(png,80)", origin: .encoding)])

  @Test func itKeepsTheContractOfSharedStores() async throws {
    let contract = SharedStoreContract(
      largestBody: 512 << 10,
      connect: { other in try MemcachedStore(#require(other as? MemcachedStore).configuration) }
    ) {
      try await MemcachedTesting.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }

  @Test func severalServersKeepIt() async throws {
    let second = try MemcachedProcess()
    defer { second.stop() }
    let makeConfiguration: @Sendable () async throws -> MemcachedStore.Configuration = {
      var configuration = try await MemcachedTesting.configuration()
      configuration.servers.append(("127.0.0.1", second.port))
      return configuration
    }
    let contract = SharedStoreContract(largestBody: 100_000) { try await MemcachedStore(makeConfiguration()) }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
    // Each original has its server, and both are used.
    let store = try await MemcachedStore(makeConfiguration())
    var ports: Set<String> = []
    for number in 0..<40 {
      let key = CacheKey(original: "\(number)")
      let variant = CacheKey(original: "\(number)", suffixes: variant.suffixes)
      let address = try await store.place(of: key).server.address
      #expect(try await store.place(of: variant).server.address == address)
      ports.insert("\(address)")
    }
    #expect(ports.count == 2)
  }

  @Test func aBodyThatIsTooLargeTakesTheSmallerOneAway() async throws {
    var configuration = try await MemcachedTesting.configuration()
    configuration.largestBody = 1000
    let store = try MemcachedStore(configuration)
    try await store.store(CacheEntry.plain([1]), for: variant)
    try await store.store(CacheEntry.plain([UInt8](repeating: 2, count: 1001), stored: 2000), for: variant)
    #expect(try await store.entry(for: variant) == nil)
  }

  /// A value that somebody else writes under the names of the store is a miss.
  @Test(arguments: [0, 1, 40, 5000])
  func badValuesAreMisses(count: Int) async throws {
    let store = try await MemcachedTesting.store()
    try await store.store(CacheEntry.plain([1, 2, 3]), for: key)
    let place = try await store.place(of: key)
    var random = SeededRandom(seed: UInt64(count))
    let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    _ = try await place.server.send("ms", place.entry, "", value: noise)
    #expect(try await store.entry(for: key) == nil && store.damagedCount == 1)
    try await store.store(CacheEntry.plain([4]), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [4])
    _ = try await place.server.send("ms", place.mark, "", value: noise)
    #expect(try await store.entry(for: key) == nil)
    try await store.store(CacheEntry.plain([5], stored: 3000), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [5])
  }

  @Test func everyCutAndEveryFlippedBitIsAMiss() async throws {
    let store = try await MemcachedTesting.store()
    try await store.store(CacheEntry.plain([1, 2, 3]), for: key)
    let place = try await store.place(of: key)
    let value = try #require(try await place.server.send("mg", place.entry, "v").value)
    for index in value.indices {
      var damaged = value
      damaged[index] ^= 1 << UInt8(index % 8)
      for bad in [damaged, Array(value[..<index])] {
        _ = try await place.server.send("ms", place.entry, "", value: bad)
        #expect(try await store.entry(for: key) == nil)
      }
    }
  }

  @Test func anEvictedNumberBringsNothingBack() async throws {
    let store = try await MemcachedTesting.store()
    try await store.store(CacheEntry.plain([1]), for: key)
    let server = try await store.place(of: key).server
    #expect(try await server.send("md", "\(store.configuration.prefix):epoch", "").code == "HD")
    #expect(try await store.entry(for: key) == nil)
  }

  @Test(arguments: ["", "a b", "a\r\nflush_all", String(repeating: "x", count: 101)])
  func aPrefixCannotBeACommand(prefix: String) {
    var configuration = MemcachedStore.Configuration([("127.0.0.1", 1)])
    configuration.prefix = prefix
    #expect(throws: ImageError.self) { try MemcachedStore(configuration) }
  }

  @Test func addresses() throws {
    let one = try MemcachedStore.Configuration("memcached://cache")
    #expect(one.servers.map(\.host) == ["cache"] && one.servers.map(\.port) == [11211] && one.prefix == "easel")
    let two = try MemcachedStore.Configuration("memcached://a:1,[::1]:2,[::2]/?prefix=p&largest=9")
    #expect(two.servers.map(\.host) == ["a", "::1", "::2"] && two.servers.map(\.port) == [1, 2, 11211])
    #expect(two.prefix == "p" && two.largestBody == 9)
    for text in [
      "memcached:", "memcached://", "memcached://a:b:1", "memcached://a:+1", "memcached://[a", "redis://a",
      "memcached://a,", "memcached://a:0", "memcached://a/1",
      "memcached://u:p@a", "memcached://a?x=1", "memcached://a?largest=0",
    ] {
      #expect(throws: ImageError.self, "\(text)") { try MemcachedStore.Configuration(text) }
    }
  }
}
