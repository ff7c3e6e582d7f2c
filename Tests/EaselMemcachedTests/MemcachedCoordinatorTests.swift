import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselMemcached

@Suite(.tags(.alone), .enabled(if: MemcachedProcess.isAvailable, "\(MemcachedProcess.missing ?? "")"))
struct MemcachedCoordinatorTests {
  private let key = FlightKey(
    .variant, CacheKey(original: "a", suffixes: [CacheKey.Suffix("Encode(png)", origin: .encoding)]))

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

  @Test func aClaimThatIsWonWhenItsCallerHasLeftIsGivenUp() async throws {
    let (isAsked, mayAnswer, rest) = (Watched(false), Watched(false), Watched<[[String]]>([]))
    let engine = try ScriptedEngine(.lines) { words, _ in
      if words[0] == "mg", words[1].hasSuffix(":epoch") { return .text("VA 1 k\(words[1]) c1\r\n7\r\n") }
      guard words.contains("N60") else {
        rest.withLock { $0.append(words) }
        return .text("HD k\(words[1])\r\n")
      }
      isAsked.withLock { $0 = true }
      mayAnswer.block { $0 }
      return .text("VA 0 k\(words[1]) c9 W\r\n\r\n")
    }
    let store = try await MemcachedTesting.store(port: engine.port)
    let waiting = Task { await MemcachedTesting.coordinator(store).claim(key, within: .seconds(60)) }
    await isAsked.wait { $0 }
    waiting.cancel()
    guard case .goAhead = await waiting.value else { return #expect(Bool(false)) }
    mayAnswer.withLock { $0 = true }
    let name = try await store.place(of: key.key).claim(of: .variant)
    await rest.wait { $0.contains(["md", name, "k", "C9"]) }
  }

  @Test func aServerThatIsGoneLetsEverybodyGoAhead() async throws {
    let store = try await MemcachedTesting.store(port: 1)
    guard case .goAhead = await MemcachedTesting.coordinator(store).claim(key, within: .seconds(10)) else {
      Issue.record("Somebody waited for a server that is gone.")
      return
    }
  }
}
