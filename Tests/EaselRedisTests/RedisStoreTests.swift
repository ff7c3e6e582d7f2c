import EaselCore
import EaselSupport
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselRedis

@Suite(.tags(.alone), .enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
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

  // MARK: Bad values

  /// Values that somebody else may have written.
  enum Damage: String, CaseIterable {
    case empty, text, cut, longer, flippedByte, flippedRecord, wrongVersion, wrongDigest, wrongLength, list, hash

    func apply(_ name: String, _ value: [UInt8], on client: RedisClient) async throws {
      var value = value
      switch self {
      case .empty: value = []
      case .text: value = Array("not a picture".utf8)
      case .cut: value.removeLast(40)
      case .longer: value.append(0)
      case .flippedByte: value[value.count - 1] ^= 1
      case .flippedRecord: value[RedisEntry.headSize + 9] ^= 0x40
      case .wrongVersion: value[1] = UInt8(ascii: "9")
      case .wrongDigest: value[RedisMark.identityLength] ^= 1
      case .wrongLength: value[RedisMark.identityLength + 32 + 8] ^= 4
      case .list, .hash:
        _ = try await client.send(RedisCommand("DEL", name), for: name)
        let words = self == .list ? ["RPUSH", name, "a"] : ["HSET", name, "a", "b"]
        _ = try await client.send(RedisCommand(words), for: name)
        return
      }
      _ = try await client.send(RedisCommand(["SET", name], body: value), for: name)
    }
  }

  @Test(arguments: Damage.allCases)
  func aDamagedEntryIsAMissAndIsReplaced(_ damage: Damage) async throws {
    let store = try await RedisTesting.store()
    let names = store.names(key)
    try await store.store(CacheEntry.plain([UInt8](repeating: 7, count: 100)), for: key)
    let good = try #require(try await store.client.send(RedisCommand("GET", names.entry), for: names.entry).data)
    try await damage.apply(names.entry, Array(good), on: store.client)
    #expect(try await store.entry(for: key) == nil)
    // Another type than a string is no value for Redis.
    if damage != .list, damage != .hash { #expect(store.damagedCount == 1) }
    try await store.store(CacheEntry.plain([8]), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [8])
  }

  @Test(arguments: Damage.allCases)
  func aDamagedMarkIsAMissAndIsReplaced(_ damage: Damage) async throws {
    let store = try await RedisTesting.store()
    let names = store.names(key)
    try await store.store(CacheEntry.plain([7]), for: key)
    var good = Array(try #require(try await store.client.send(RedisCommand("GET", names.mark), for: names.mark).data))
    good += [UInt8](repeating: 0, count: 100)
    try await damage.apply(names.mark, good, on: store.client)
    _ = try await store.entry(for: key)
    _ = try await store.contains(key)
    try await store.renew(nil, ofOriginal: key, generation: 3)
    try await store.store(CacheEntry.plain([8], generation: 5, stored: 2000), for: key)
    #expect(try await store.entry(for: key)?.plainBytes == [8])
    #expect(try await store.entry(for: key)?.record.generation == 5)
  }

  @Test func aValueUnderAnotherKeyIsAMiss() async throws {
    let store = try await RedisTesting.store()
    let other = CacheKey(original: "http://a/b.png", scope: CacheKey.Scope(parts: [.init(name: "user", value: "b")]))
    try await store.store(CacheEntry.plain([1]), for: key)
    try await store.store(CacheEntry.plain([2]), for: other)
    let (from, to) = (store.names(key), store.names(other))
    let value = try #require(try await store.client.send(RedisCommand("GET", from.entry), for: from.entry).data)
    _ = try await store.client.send(RedisCommand(["SET", to.entry], body: Array(value)), for: to.entry)
    #expect(try await store.entry(for: other) == nil)
    #expect(store.damagedCount == 1)
  }

  @Test func badValuesAreLoggedOnceAMinute() async throws {
    let clock = ManualClock()
    let lines = Locked<[String]>([])
    var configuration = try await RedisTesting.configuration()
    configuration.log = { line in lines.withLock { $0.append(line) } }
    let store = try RedisStore(configuration, clock: clock)
    func damage() async throws {
      try await store.store(CacheEntry.plain([1]), for: key)
      let name = store.names(key).entry
      _ = try await store.client.send(RedisCommand("SET", name, "x"), for: name)
      #expect(try await store.entry(for: key) == nil)
    }
    for _ in 0..<3 { try await damage() }
    #expect(lines.withLock { $0.count } == 1)
    clock.advance(by: .seconds(61))
    try await damage()
    #expect(lines.withLock { $0.last }?.contains("3 values") == true)
    #expect(store.damagedCount == 4)
  }

  @Test func aValueThatIsFarTooLargeIsAMiss() async throws {
    let engine = try ScriptedEngine { words, _ in
      words[0] == "MGET" ? .text("*3\r\n$1\r\n1\r\n$3\r\nabc\r\n$629145600\r\n") : .text(":1\r\n")
    }
    let store = try RedisStore(.init(RedisConfiguration(.one(.tcp(host: "127.0.0.1", port: engine.port)))))
    #expect(try await store.entry(for: key) == nil)
    #expect(store.damagedCount == 1)
  }

  // MARK: Limits

  @Test func aLargeBodyIsNotStoredButItsGenerationIsKnown() async throws {
    var configuration = try await RedisTesting.configuration()
    configuration.largestBody = 1000
    let store = try RedisStore(configuration)
    let variant = CacheKey(original: key.original, suffixes: [CacheKey.Suffix("w(1)", origin: .transformer)])
    try await store.store(CacheEntry.plain([1]), for: variant)
    try await store.store(
      CacheEntry.plain([UInt8](repeating: 1, count: 1001), generation: 2, stored: 2000), for: key)
    #expect(try await store.entry(for: key) == nil)
    #expect(try await store.entry(for: variant) == nil)
    try await store.store(CacheEntry.plain([UInt8](repeating: 1, count: 1000), generation: 2, stored: 2001), for: key)
    #expect(try await store.entry(for: key)?.plainBytes?.count == 1000)
  }

  @Test func entriesHaveALifeByTheirFreshness() async throws {
    let store = try await RedisTesting.store()
    var record = CacheEntry.plain([1]).record
    var headers = HTTPHeaders()
    headers["Cache-Control"] = "max-age=100"
    record.response = CacheRecord.Response(status: 200, headers: headers, requested: Date(), received: Date())
    try await store.store(CacheEntry(bytes: ImageBytes([1]), record: record), for: key)
    let (names, day) = (store.names(key), Int64(86_400_000))
    let life = try #require(try await store.client.send(RedisCommand("PTTL", names.entry), for: names.entry).number)
    #expect(life > 6 * day && life < 8 * day)
    let mark = try #require(try await store.client.send(RedisCommand("PTTL", names.mark), for: names.mark).number)
    #expect(mark > 33 * day)
  }

  @Test func allKeysOfAnOriginalHaveOneSlot() async throws {
    let store = try await RedisTesting.store()
    let variant = CacheKey(original: key.original, suffixes: [CacheKey.Suffix("w(1)", origin: .transformer)])
    let names = [store.names(key), store.names(variant)]
    let all = names.flatMap { [$0.mark, $0.entry, $0.claim(of: .transfer), $0.claim(of: .variant)] }
    #expect(Set(all.map { RedisClient.slot(of: $0) }).count == 1)
    #expect(Set(all).count == 7)
  }

  // MARK: Epochs

  @Test func aLostEpochBringsNothingBack() async throws {
    let store = try await RedisTesting.store()
    try await store.store(CacheEntry.plain([1]), for: key)
    try await store.removeAll()
    #expect(try await store.entry(for: key) == nil)
    _ = try await store.client.send(RedisCommand("DEL", store.epoch.name), for: store.epoch.name)
    #expect(try await store.entry(for: key) == nil)
    let other = try RedisStore(store.configuration)
    try await other.store(CacheEntry.plain([2]), for: key)
    #expect(try await other.entry(for: key)?.plainBytes == [2])
    try await other.removeAll()
    #expect(try await store.entry(for: key) == nil)
  }

  @Test func everyMachineNoticesAtOnceThatAllWasRemoved() async throws {
    let store = try await RedisTesting.store()
    try await RedisTesting.noticesRemovals(store, RedisStore(store.configuration, clock: ManualClock()), key)
  }

  @Test func twoPrefixesKnowNothingOfEachOther() async throws {
    let (one, two) = (try await RedisTesting.store(), try await RedisTesting.store())
    try await one.store(CacheEntry.plain([1]), for: key)
    #expect(try await two.entry(for: key) == nil)
    try await two.removeAll()
    #expect(try await one.entry(for: key)?.plainBytes == [1])
  }

  @Test func aPrefixWithBracesIsRefused() async throws {
    var configuration = try await RedisTesting.configuration()
    configuration.prefix = "a{b}"
    #expect(throws: ImageError.self) { try RedisStore(configuration) }
  }

  // MARK: Many machines

  @Test func ofManyMachinesTheOneWithTheNewestBytesWins() async throws {
    let configuration = try await RedisTesting.configuration()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for generation in 1...40 {
        group.addTask {
          let store = try RedisStore(configuration)
          try await store.store(
            CacheEntry.plain([UInt8(generation)], generation: UInt64(generation), stored: Double(generation)),
            for: key)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await RedisStore(configuration).entry(for: key)?.plainBytes == [40])
  }
}
