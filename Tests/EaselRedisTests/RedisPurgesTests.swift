import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselRedis
@testable import EaselTiers

/// Purges that servers tell each other over Redis.
@Suite(.tags(.alone), .enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
struct RedisPurgesTests {
  private static let cat = Purge.source("https://host/cats/a.jpg")

  private func server(_ name: String, knowing number: UInt64 = 0) -> PurgeServer {
    var server = PurgeServer(id: "id-\(name)", name: name, servesCutOff: name == "b")
    server.known = number
    return server
  }

  @Test func aServerLearnsWhatItDoesNotKnow() async throws {
    let purges = try RedisPurges(try await RedisTesting.store())
    #expect(try await purges.exchange(server("a")) == nil)
    let first = try await purges.add([Self.cat, .tag("x")], atLeast: 5)
    #expect(first > 1_600_000_000_000, "Numbers are the time of day at least.")
    let table = try #require(try await purges.exchange(server("a")))
    #expect(table.numbers == [Self.cat: first, .tag("x"): first] && table.latest == first && table.latestTag == first)
    #expect(try await purges.exchange(server("a", knowing: first)) == nil)
    let second = try await purges.add([.everything], atLeast: first + 1_000_000)
    #expect(second == first + 1_000_000)
    let third = try await purges.add([.sources(beginningWith: "https://host/")], atLeast: 0)
    #expect(third == second + 1)
    let newer = try await purges.exchange(server("a", knowing: first))
    #expect(newer?.latest == third && newer?.latestTag == first && newer?.numbers.count == 4)
  }

  @Test func whatWasLostIsRestored() async throws {
    let store = try await RedisTesting.store()
    let purges = try RedisPurges(store)
    let number = try await purges.add([Self.cat], atLeast: 0)
    _ = try await store.client.send(
      RedisCommand("DEL", "\(store.configuration.prefix):{purges}:t"), for: "x")
    let empty = try await purges.exchange(server("a", knowing: number))
    #expect(empty == PurgeTable())
    try await purges.restore([Self.cat: number, .tag("x"): number - 1])
    let table = try await purges.exchange(server("a", knowing: number))
    #expect(table?.numbers == [Self.cat: number, .tag("x"): number - 1] && table?.latestTag == number - 1)
    #expect(try #require(table).latest > number, "All servers look again.")
  }

  @Test func widerPurgesStandInPlaceOfOthers() async throws {
    let purges = try RedisPurges(try await RedisTesting.store())
    let number = try await purges.add([Self.cat], atLeast: 0)
    let newer = try await purges.add([.tag("x")], atLeast: 0)
    var folding = PurgeTable.Folding()
    let wide = Purge.sources(beginningWith: "https://host/cats/")
    // What was purged again meanwhile stays.
    (folding.removed, folding.added) = ([Self.cat: number, .tag("x"): newer - 1], [wide: number])
    try await purges.apply(folding)
    let table = try await purges.exchange(server("a", knowing: newer))
    #expect(table?.numbers == [wide: number, .tag("x"): newer])
  }

  @Test func serversAreKnown() async throws {
    let purges = try RedisPurges(try await RedisTesting.store())
    _ = try await purges.exchange(server("a b", knowing: 3))
    _ = try await purges.exchange(server("b"))
    let servers = try await purges.servers().sorted { $0.name < $1.name }
    #expect(servers.map(\.name) == ["a b", "b"] && servers.map(\.known) == [3, 0])
    #expect(servers.map(\.servesCutOff) == [false, true] && servers.allSatisfy { $0.silence < .seconds(60) })
    await purges.leave(server("b"))
    #expect(try await purges.servers().map(\.name) == ["a b"])
  }

  @Test func aPurgeReachesAnotherServer() async throws {
    let store = try await RedisTesting.store()
    let others = try RedisStore(store.configuration)
    func ledger(_ store: RedisStore, _ name: String) throws -> PurgeLedger {
      var settings = PurgeLedger.Configuration()
      // Only what is announced reaches it in time.
      (settings.name, settings.lease, settings.patience) = (name, .seconds(3600), .seconds(3600))
      try settings.share(over: store)
      return PurgeLedger(settings)
    }
    let (a, b) = (try ledger(store, "a"), try ledger(others, "b"))
    for ledger in [a, b] {
      ledger.start()
      #expect(await ledger.moment() == .current)
    }
    let report = await a.purge([Self.cat])
    #expect(report.isComplete && report.servers.map(\.name) == ["a", "b"])
    #expect(report.servers.map(\.standing) == [.confirmed, .confirmed])
    #expect(b.numbers(of: "https://host/cats/a.jpg", tags: []).own == report.number)
    for ledger in [a, b] { await ledger.stop() }
  }
}
