import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselRedis

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
struct RedisCoordinatorTests {
  @Test func itKeepsTheContractOfCoordinators() async throws {
    let contract = FlightCoordinatorContract(makePair: { store in
      let store = try #require(store as? RedisStore)
      return (RedisCoordinator(store), try RedisCoordinator(RedisStore(store.configuration)))
    }) {
      try await RedisTesting.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }
}
