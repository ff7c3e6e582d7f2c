import EaselCore
import EaselSupport
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselRedis

/// The ways in which servers are reached: passwords, TLS, Unix sockets, sentinels, clusters.
@Suite(.tags(.alone), .enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
struct RedisServersTests {
  let key = CacheKey(original: "http://a/b.png")

  private func store(_ url: String) throws -> RedisStore {
    var configuration = try RedisStore.Configuration(url)
    configuration.servers.connectTime = .seconds(10)
    configuration.servers.answerTime = .seconds(30)
    return try RedisStore(configuration)
  }

  private func works(_ store: RedisStore) async throws -> Bool {
    try await store.store(CacheEntry.plain([1, 2]), for: key)
    return try await store.entry(for: key)?.plainBytes == [1, 2]
  }

  @Test func aUnixSocketWorks() async throws {
    let server = try await RedisServer.shared()
    #expect(try await works(store("redis+unix://\(server.socketPath)?prefix=\(RedisTesting.newPrefix())")))
  }

  @Test func databasesAreApart() async throws {
    let server = try await RedisServer.shared()
    let prefix = RedisTesting.newPrefix()
    let third = try store("redis://127.0.0.1:\(server.port)/3?prefix=\(prefix)")
    #expect(try await works(third))
    #expect(try await store("redis://127.0.0.1:\(server.port)?prefix=\(prefix)").entry(for: key) == nil)
    #expect(try await store("redis://127.0.0.1:\(server.port)/3?prefix=\(prefix)").entry(for: key) != nil)
  }

  @Test func aPasswordIsWantedAndNeverShown() async throws {
    let server = try await runBlocking { try RedisServer(["--requirepass", "sesame %"]) }
    #expect(try await works(store("redis://:sesame%20%25@127.0.0.1:\(server.port)")))
    for wrong in ["redis://127.0.0.1:\(server.port)", "redis://:hidden@127.0.0.1:\(server.port)"] {
      let error = await #expect(throws: RedisFailure.self) { try await store(wrong).entry(for: key) }
      #expect(["NOAUTH", "WRONGPASS"].contains(error?.word))
      #expect(error?.description.contains("hidden") == false)
    }
  }

  @Test func aUserWhoMayUseThePrefixAloneIsEnough() async throws {
    let server = try await runBlocking {
      try RedisServer([
        "--user", "easel", "on", ">secret", "~pictures:*", "&pictures:*", "+@read", "+@write", "+@scripting",
        "+@pubsub",
        "+@connection", "+time",
      ])
    }
    let store = try self.store("redis://easel:secret@127.0.0.1:\(server.port)?prefix=pictures")
    #expect(try await works(store))
    try await store.removeAll()
    let answer = await RedisTesting.coordinator(store).claim(FlightKey(.transfer, key), within: .seconds(10))
    guard case .yours(let claim) = answer else { return #expect(Bool(false), "\(answer)") }
    await claim.end(.abandoned)
    let other = try self.store("redis://easel:secret@127.0.0.1:\(server.port)?prefix=other")
    let error = await #expect(throws: RedisFailure.self) { try await other.entry(for: key) }
    #expect(error?.word == "NOPERM")
  }

  @Test func tlsIsVerified() async throws {
    let server = try await runBlocking { try RedisServer(tls: true) }
    let authority = try #require(server.certificates).authorityPath
    let at = "127.0.0.1:\(server.port)"
    let store = try self.store("rediss://\(at)?ca=\(authority)")
    #expect(try await works(store))
    // Many records of TLS, in both directions at once.
    let large = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          let key = CacheKey(original: "\(number)")
          try await store.store(CacheEntry.plain(large), for: key)
          #expect(try await store.entry(for: key)?.plainBytes == large)
        }
      }
      try await group.waitForAll()
    }
    for (url, reason) in [
      ("rediss://\(at)", "certificate"), ("rediss://\(at)?ca=\(authority)&servername=other.example", "certificate"),
    ] {
      let error = await #expect(throws: (any Error).self) { try await self.store(url).entry(for: key) }
      #expect("\(error!)".contains(reason), "\(error!)")
    }
    #expect(throws: (any Error).self) { try self.store("rediss://\(at)?ca=/nowhere.pem") }
    // A plain client is told nothing it could take for a reply.
    await #expect(throws: (any Error).self) { try await self.store("redis://\(at)").entry(for: key) }
  }

  @Test func sentinelsNameTheMaster() async throws {
    // A master waits five seconds for more replicas otherwise, before it sends the first its keys.
    let first = try await runBlocking { try RedisServer(["--repl-diskless-sync-delay", "0"]) }
    let second = try await runBlocking { try RedisServer(["--replicaof", "127.0.0.1", "\(first.port)"]) }
    let sentinel = try await runBlocking {
      try RedisServer(
        settings: """
          sentinel monitor pictures 127.0.0.1 \(first.port) 1
          sentinel down-after-milliseconds pictures 60000
          sentinel failover-timeout pictures 60000
          """)
    }
    let store = try self.store("redis+sentinel://127.0.0.1:1,127.0.0.1:\(sentinel.port)/pictures?prefix=a")
    #expect(try await works(store))
    #expect(try first.run("DBSIZE") != "0")
    try await runBlocking {
      // It looks at its servers every ten seconds otherwise.
      try sentinel.run("SENTINEL", "DEBUG", "INFO-PERIOD", "100")
      // The sentinel must know the replica, and the replica must have caught up, before one can take the other's place.
      try sentinel.wait("a replica") {
        try sentinel.run("SENTINEL", "replicas", "pictures").contains("master-link-status\nok")
      }
      // It refuses while it takes the replica for a bad one.
      try sentinel.wait("a failover") { try sentinel.run("SENTINEL", "failover", "pictures") == "OK" }
      try sentinel.wait("a new master") {
        try second.run("ROLE").hasPrefix("master")
          && sentinel.run("SENTINEL", "get-master-addr-by-name", "pictures").contains("\(second.port)")
      }
      // The sentinel would do it some seconds later.
      try first.run("REPLICAOF", "127.0.0.1", "\(second.port)")
    }
    // The first server is a replica now and refuses to be written to.
    try await store.store(CacheEntry.plain([3], generation: 3, stored: 3000), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [3])
    let wrong = try self.store("redis+sentinel://127.0.0.1:\(sentinel.port)/nobody")
    let error = await #expect(throws: ImageError.self) { try await wrong.entry(for: key) }
    #expect(error?.message.contains("nobody") == true)
  }

  @Test func aClusterKeepsTheContracts() async throws {
    let cluster = try await runBlocking { try RedisCluster() }
    let number = Locked(0)
    @Sendable func make() throws -> RedisStore {
      let prefix = number.withLock { number in
        number += 1
        return "test\(number)"
      }
      return try self.store("redis+cluster://127.0.0.1:\(cluster.servers[0].port)?prefix=\(prefix)")
    }
    let contract = SharedStoreContract(
      largestBody: 512 << 10, connect: { try RedisStore(#require($0 as? RedisStore).configuration) }
    ) { try make() }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
    let claims = FlightCoordinatorContract(makePair: { store in
      let store = try #require(store as? RedisStore)
      return (RedisTesting.coordinator(store), try RedisTesting.coordinator(RedisStore(store.configuration)))
    }) { try make() }
    let broken = await claims.check()
    #expect(broken == [], "\(broken)")
    let store = try make()
    try await RedisTesting.noticesRemovals(store, RedisStore(store.configuration, clock: ManualClock()), key)
    // The keys are spread over all servers.
    for server in cluster.servers { #expect(try server.run("DBSIZE") != "0") }
    // A server that is gone takes its keys with it, and the others go on.
    var before = 0
    for number in 0..<100 {
      let key = CacheKey(original: "\(number)")
      try await store.store(CacheEntry.plain([1]), for: key)
      if try await store.entry(for: key) != nil { before += 1 }
    }
    #expect(before == 100)
  }

  @Test func aMovedSlotIsFoundAgain() async throws {
    let cluster = try await runBlocking { try RedisCluster() }
    let store = try self.store("redis+cluster://127.0.0.1:\(cluster.servers[0].port)")
    #expect(try await works(store))
    let slot = "\(RedisClient.slot(of: store.names(key).mark))"
    try await runBlocking { try cluster.move(slot: slot) }
    #expect(try await store.entry(for: key)?.plainBytes == [1, 2])
    try await store.store(CacheEntry.plain([4], generation: 4, stored: 4000), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [4])
  }
}
