import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselRedis

@Suite(.tags(.alone), .enabled(if: RedisServer.isAvailable, "\(RedisServer.missing ?? "")"))
struct RedisCoordinatorTests {
  @Test func itKeepsTheContractOfCoordinators() async throws {
    let contract = FlightCoordinatorContract(makePair: { store in
      let store = try #require(store as? RedisStore)
      return (RedisTesting.coordinator(store), try RedisTesting.coordinator(RedisStore(store.configuration)))
    }) {
      try await RedisTesting.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }

  let key = FlightKey(.transfer, CacheKey(original: "http://a/b.png"))
  private static let long = Duration.seconds(60)

  private func claim(_ coordinator: RedisCoordinator) async throws -> any FlightClaim {
    let answer = await coordinator.claim(key, within: Self.long)
    guard case .yours(let claim) = answer else {
      Issue.record("\(answer)")
      throw CancellationError()
    }
    return claim
  }

  @Test func theClaimOfAProcessThatDiedEndsWithItsLease() async throws {
    let store = try await RedisTesting.store()
    let name = store.names(key.key).claim(of: .transfer)
    // A dead process is one that holds a claim and does nothing more.
    _ = try await store.client.send(RedisCommand("SET", name, "dead-1", "PX", "300"), for: name)
    let claim = try await claim(RedisTesting.coordinator(store))
    await claim.end(.abandoned)
  }

  /// On a busy machine the news that claims have ended can come after those who claim next.
  @Test func holdersThatChangeUnheardHaveNotLetTheirLeasesRunOut() async throws {
    let store = try await RedisTesting.store()
    let clock = ManualClock()
    let names = store.names(key.key)
    let name = names.claim(of: .transfer)
    func hold(_ holder: String) async throws {
      _ = try await store.client.send(RedisCommand("SET", name, holder, "PX", "60000"), for: name)
    }
    try await hold("first")
    let coordinator = RedisTesting.coordinator(store, clock: clock)
    let waiting = Task { try await claim(coordinator) }
    try await waitForSubscriber(store)
    for number in 1...20 {
      try await hold("other-\(number)")
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(250))
    }
    let end = RedisScript.end.command(
      keys: [name], ["other-20", names.channel, ClaimMessage.text(name, .abandoned)])
    _ = try await store.client.send(end, for: names.mark)
    try await waiting.value.end(.abandoned)
  }

  @Test func aClaimIsKeptWhileItsHolderWorks() async throws {
    let store = try await RedisTesting.store()
    let clock = ManualClock()
    let claim = try await claim(RedisTesting.coordinator(store, lease: .seconds(90), clock: clock))
    let name = store.names(key.key).claim(of: .transfer)
    for _ in 0..<3 {
      _ = try await store.client.send(RedisCommand("PEXPIRE", name, "60000"), for: name)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(30))
      try await store.wait { try await store.client.send(RedisCommand("PTTL", name), for: name).number ?? 0 > 60_000 }
    }
    await claim.end(.abandoned)
    #expect(try await store.client.send(RedisCommand("EXISTS", name), for: name).number == 0)
  }

  @Test func whoLostItsClaimStoresNothing() async throws {
    let configuration = try await RedisTesting.configuration()
    let (slow, fast) = (try RedisStore(configuration), try RedisStore(configuration))
    let late = try await claim(RedisTesting.coordinator(slow))
    let name = slow.names(key.key).claim(of: .transfer)
    _ = try await slow.client.send(RedisCommand("DEL", name), for: name)
    let winner = try await claim(RedisTesting.coordinator(fast))
    try await slow.store(CacheEntry.plain([1], generation: 9, stored: 9000), for: key.key)
    #expect(try await fast.entry(for: key.key) == nil)
    // Its end is of no effect either.
    await late.end(.abandoned)
    #expect(try await slow.client.send(RedisCommand("EXISTS", name), for: name).number == 1)
    try await fast.store(CacheEntry.plain([2], generation: 2, stored: 2000), for: key.key)
    await winner.end(.stored)
    #expect(try await slow.entry(for: key.key)?.plainBytes == [2])
  }

  @Test func whatIsThereAlreadyIsHandedOver() async throws {
    let store = try await RedisTesting.store()
    try await store.store(CacheEntry.plain([1]), for: key.key)
    let answer = await RedisTesting.coordinator(store).claim(key, within: Self.long)
    guard case .ready(let entry) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(entry.plainBytes == [1])
  }

  @Test func aDamagedEntryIsNotHandedOver() async throws {
    let store = try await RedisTesting.store()
    try await store.store(CacheEntry.plain([1, 2, 3]), for: key.key)
    let name = store.names(key.key).entry
    _ = try await store.client.send(RedisCommand("SETRANGE", name, "\(RedisEntry.headSize + 12)", "xxx"), for: name)
    let claim = try await claim(RedisTesting.coordinator(store))
    await claim.end(.abandoned)
    #expect(store.damagedCount == 1)
  }

  @Test(arguments: [404, 410])
  func aFailureIsHeardWithItsStatus(_ status: Int) async throws {
    let store = try await RedisTesting.store()
    let (one, two) = (RedisTesting.coordinator(store), RedisTesting.coordinator(store))
    let claim = try await claim(one)
    let waiting = Task { await two.claim(key, within: Self.long) }
    try await waitForSubscriber(store)
    await claim.end(
      .failed(
        ImageError(
          .badStatus, "There is\nno such picture.", response: ResponseHead(status: status, headers: HTTPHeaders()))))
    guard case .failed(let error) = await waiting.value else { return #expect(Bool(false)) }
    #expect(error.status == status)
    #expect(error.message == "There is no such picture.")
    #expect(error.isAboutPicture)
  }

  @Test func aFailureThatSaysNothingOfThePictureIsNotTold() {
    for error in [
      ImageError(.timedOut, "late"), ImageError(.network, "gone"),
      ImageError(.badStatus, "busy", response: ResponseHead(status: 503, headers: HTTPHeaders())),
    ] {
      #expect(ClaimMessage.text("a", .failed(error)) == "a\nabandoned")
    }
  }

  @Test(arguments: [
    "", "a", "a\nhello", "a\nfailed", "a\nfailed\nbadStatus\nx\ntext", "a\nfailed\nnoCode\n0\ntext", "\n\n\n\n",
  ])
  func whatIsNoMessageIsIgnored(_ text: String) {
    #expect(ClaimMessage(text, about: key.key) == nil)
  }

  @Test func messagesOfOthersWakeNobody() async throws {
    let store = try await RedisTesting.store()
    let (one, two) = (RedisTesting.coordinator(store), RedisTesting.coordinator(store))
    let claim = try await claim(one)
    let waiting = Task { await two.claim(key, within: Self.long) }
    try await waitForSubscriber(store)
    let channel = store.names(key.key).channel
    for text in ["other\nfailed\nbadImageData\n0\nlie", "rubbish", ""] {
      _ = try await store.client.send(RedisCommand("PUBLISH", channel, text), for: channel)
    }
    await claim.end(.abandoned)
    guard case .yours(let next) = await waiting.value else { return #expect(Bool(false)) }
    await next.end(.abandoned)
  }

  @Test func aThousandWhoWaitGetOneEntry() async throws {
    let store = try await RedisTesting.store()
    let (one, two) = (RedisTesting.coordinator(store), RedisTesting.coordinator(store))
    let claim = try await claim(one)
    let waiting = (0..<1000).map { number in Task { await (number % 2 == 0 ? one : two).claim(key, within: Self.long) }
    }
    try await waitForSubscriber(store)
    try await store.store(CacheEntry.plain([5]), for: key.key)
    await claim.end(.stored)
    for task in waiting {
      guard case .ready(let entry) = await task.value else { return #expect(Bool(false)) }
      #expect(entry.plainBytes == [5])
    }
    // Nobody hears any more.
    let channel = store.names(key.key).channel
    try await store.wait { try await store.subscriberCount(channel) == 0 }
  }

  /// The answer to a command that was sent before its caller left may still come, and may grant the claim.
  @Test func whoLeavesWhileItAsksHoldsNothing() async throws {
    let store = try await RedisTesting.store()
    let other = RedisTesting.coordinator(store)
    for round in 0..<40 {
      let coordinator = try RedisTesting.coordinator(RedisStore(store.configuration))
      let leaving = Task { await coordinator.claim(key, within: Self.long) }
      for _ in 0..<round % 20 { await Task.yield() }
      leaving.cancel()
      if case .yours(let claim) = await leaving.value { await claim.end(.abandoned) }
      try await claim(other).end(.abandoned)
    }
  }

  @Test func aWaitForNewsEndsAlsoIfItsTimeIsUpAtOnce() async {
    let subscriber = ClaimSubscriber("name", about: key.key)
    for _ in 0..<1000 { #expect(await subscriber.message(within: .zero, by: ManualClock()) == nil) }
  }

  @Test func withoutAServerEverybodyGoesAhead() async throws {
    let server = try await runBlocking { try RedisServer() }
    let store = try await RedisTesting.store(server)
    let coordinator = RedisTesting.coordinator(store)
    let claim = try await claim(coordinator)
    server.stop()
    guard case .goAhead = await coordinator.claim(key, within: Self.long) else { return #expect(Bool(false)) }
    await claim.end(.stored)
    guard case .goAhead = await coordinator.claim(key, within: Self.long) else { return #expect(Bool(false)) }
  }

  @Test func whoWaitsWhenTheServerDiesGoesAhead() async throws {
    let server = try await runBlocking { try RedisServer() }
    let store = try await RedisTesting.store(server)
    let (one, two) = (RedisTesting.coordinator(store), RedisTesting.coordinator(store))
    let claim = try await claim(one)
    let waiting = Task { await two.claim(key, within: Self.long) }
    try await waitForSubscriber(store)
    server.stop()
    guard case .goAhead = await waiting.value else { return #expect(Bool(false)) }
    await claim.end(.abandoned)
  }

  @Test func aFrozenServerIsNotWaitedFor() async throws {
    let server = try await runBlocking { try RedisServer() }
    let store = try await RedisTesting.store(server)
    #expect(try await store.entry(for: key.key) == nil)
    server.freeze()
    let coordinator = RedisCoordinator(store)
    guard case .goAhead = await coordinator.claim(key, within: Self.long) else { return #expect(Bool(false)) }
    server.thaw()
    // The claim that may have been granted meanwhile was given up.
    let claim = try await claim(RedisTesting.coordinator(store))
    await claim.end(.abandoned)
  }

  private func waitForSubscriber(_ store: RedisStore) async throws {
    let channel = store.names(key.key).channel
    try await store.wait { try await store.subscriberCount(channel) > 0 }
  }
}

extension RedisStore {
  fileprivate func subscriberCount(_ channel: String) async throws -> Int64 {
    try await client.send(RedisCommand("PUBSUB", "NUMSUB", channel), for: channel).elements?.last?.number ?? -1
  }

  /// Asks again and again until a condition holds.
  fileprivate func wait(until holds: () async throws -> Bool) async throws {
    while !(try await holds()) { try await Task.sleep(for: .milliseconds(2)) }
  }
}
