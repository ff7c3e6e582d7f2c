import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselRedis

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
struct RedisStoreTests {
  let key = CacheKey(original: "http://a/b.png")

  @Test func itKeepsTheContractOfSharedStores() async throws {
    let contract = SharedStoreContract(
      largestBody: 512 << 10,
      connect: { other in try RedisStore(#require(other as? RedisStore).configuration) }
    ) {
      try await RedisTesting.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }
}
