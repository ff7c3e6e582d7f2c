import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselMemcached

@Suite(.enabled(if: MemcachedProcess.isAvailable, "\(MemcachedProcess.missing ?? "")"))
struct MemcachedCoordinatorTests {
  private let key = FlightKey(
    .variant, CacheKey(original: "a", suffixes: [KeySuffix("Encode(png)", origin: .encoding)]))

  @Test func itKeepsTheContractOfCoordinators() async throws {
    let contract = FlightCoordinatorContract(makePair: { store in
      let store = try #require(store as? MemcachedStore)
      let other = try MemcachedStore(store.configuration)
      return (MemcachedTesting.coordinator(store), MemcachedTesting.coordinator(other))
    }) {
      try await MemcachedTesting.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }

  /// A process that dies leaves its lease behind, and memcached ends it.
  @Test func aLeaseThatNobodyExtendsEnds() async throws {
    let store = try await MemcachedTesting.store()
    let place = try await store.place(of: key.key)
    let left = try await place.server.send("mg", place.claim(of: .variant), "v c N1")
    #expect(left.has("W"))
    let answer = await MemcachedTesting.coordinator(store).claim(key, within: .seconds(60))
    guard case .yours(let claim) = answer else {
      Issue.record("The claim was not granted.")
      return
    }
    await claim.end(.abandoned)
  }

  @Test func workThatWasDoneMeanwhileIsHandedOver() async throws {
    let store = try await MemcachedTesting.store()
    try await store.store(CacheEntry.plain([1, 2]), for: key.key)
    guard case .ready(let entry) = await MemcachedTesting.coordinator(store).claim(key, within: .seconds(10)) else {
      Issue.record("The entry was not handed over.")
      return
    }
    #expect(entry.plainBytes == [1, 2])
    // The claim that was won on the way has ended.
    let place = try await store.place(of: key.key)
    #expect(try await place.server.send("mg", place.claim(of: .variant), "v").code == "EN")
  }

  @Test func aServerThatIsGoneLetsEverybodyGoAhead() async throws {
    let store = try await MemcachedTesting.store(port: 1)
    guard case .goAhead = await MemcachedTesting.coordinator(store).claim(key, within: .seconds(10)) else {
      Issue.record("Somebody waited for a server that is gone.")
      return
    }
  }
}
