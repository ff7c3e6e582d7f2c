import EaselListener
import EaselTestSupport
import EaselTestTags
import Testing

/// Too many connections.
@Suite(.tags(.alone))
struct LimitTests {
  @Test func oneMoreThanTheLimitIsTurnedAway() async throws {
    let test = try TestListener { ($0.connections, $0.briefConnections) = (2, 0) }
    let clients = try (0..<2).map { _ in try test.client() }
    for client in clients { client.get("/gate") }
    await test.handler.gate.waitForWaiters(count: 2)
    let third = try test.client()
    third.get("/never")
    let answer = try #require(await third.answer())
    #expect(answer.status == 503 && answer.headers["Retry-After"] == "1" && answer.headers["Connection"] == "close")
    #expect(await third.isClosedSilently())
    // There is room again when one leaves.
    clients[0].close()
    await test.handler.notes.wait { $0.cancelled.count == 1 }
    let fourth = try test.client()
    fourth.get("/fourth")
    #expect(await fourth.answer()?.text == "/fourth")
    test.handler.gate.open()
    #expect(await clients[1].answer()?.text == "/gate")
    #expect(await test.stop().refused == [503: 1])
    #expect(test.handler.targets == ["/gate", "/gate", "/fourth"])
  }

  /// So a balancer that asks for the health of a full server learns that it is alive.
  @Test func overTheLimitWhatNeedsNoWaitingIsAnswered() async throws {
    let test = try TestListener { $0.connections = 1 }
    let first = try test.client()
    first.get("/gate")
    await test.handler.gate.waitForWaiters()
    let second = try test.client()
    second.get("/health")
    let answer = try #require(await second.answer())
    #expect(answer.text == "/health" && answer.headers["Connection"] == "close")
    #expect(await second.isClosedSilently())
    let third = try test.client()
    third.get("/later", method: "HEAD")
    let refusal = try #require(await third.answer(isHeadOnly: true))
    #expect(refusal.status == 503 && refusal.headers["Retry-After"] == "1" && refusal.headers["Connection"] == "close")
    #expect(await third.isClosedSilently())
    test.handler.gate.open()
    #expect(await first.answer()?.text == "/gate")
    let counts = await test.stop()
    #expect(counts.requests == 2 && counts.refused == [503: 1])
  }

  /// Those who say nothing do not keep others from being asked.
  @Test func aSilentConnectionOverTheLimitGivesWay() async throws {
    let test = try TestListener { ($0.connections, $0.briefConnections) = (1, 2) }
    let first = try test.client()
    first.get("/gate")
    await test.handler.gate.waitForWaiters()
    let silent = try (0..<3).map { _ in try test.client() }
    #expect(await silent[0].answer()?.status == 503)
    let asking = try test.client()
    asking.get("/health")
    #expect(await asking.answer()?.text == "/health")
    #expect(await silent[1].answer()?.status == 503)
    // The last one has as long as others.
    silent[2].get("/health")
    #expect(await silent[2].answer()?.text == "/health")
    test.handler.gate.open()
    #expect(await test.stop().refused == [503: 2])
  }

  @Test func anIdleConnectionMakesRoom() async throws {
    let test = try TestListener { $0.connections = 2 }
    let clients = try (0..<2).map { _ in try test.client() }
    for (number, client) in clients.enumerated() {
      client.get("/\(number)")
      #expect(await client.answer()?.text == "/\(number)")
    }
    clients[0].get("/again")
    #expect(await clients[0].answer()?.text == "/again")
    let third = try test.client()
    third.get("/third")
    #expect(await third.answer()?.text == "/third")
    // The one that was idle for longest is gone.
    #expect(await clients[1].isClosedSilently())
    clients[0].get("/still")
    #expect(await clients[0].answer()?.text == "/still")
    let counts = await test.stop()
    #expect(counts.idled == 1 && counts.refused.isEmpty)
  }

  @Test func anAddressHasItsShare() async throws {
    let test = try TestListener { $0.connectionsPerAddress = 2 }
    let clients = try (0..<2).map { _ in try test.client() }
    for client in clients {
      client.get("/a")
      #expect(await client.answer()?.status == 200)
    }
    let third = try test.client()
    #expect(await third.answer()?.status == 503)
    let other = try test.client(from: "127.0.0.2")
    other.get("/other")
    #expect(await other.answer()?.text == "/other")
    clients[0].get("/", fields: ["Connection: close"])
    #expect(await clients[0].answer()?.status == 200)
    #expect(await clients[0].isClosedSilently())
    clients[0].close()
    try await other.askUntilSeen()
    let fourth = try test.client()
    fourth.get("/fourth")
    #expect(await fourth.answer()?.text == "/fourth")
    let counts = await test.stop()
    #expect(counts.refused == [503: 1] && counts.crowded == 1)
  }

  @Test func theLimitOfAnAddressHoldsForIPv6() async throws {
    let test = try TestListener(on: [.tcp(host: "::1", port: 0)]) { $0.connectionsPerAddress = 1 }
    let client = try test.client()
    client.get("/six")
    #expect(await client.answer()?.text == "/six")
    #expect(await (try test.client()).answer()?.status == 503)
    _ = await test.stop()
  }

  @Test func theLimitCountsOverAllThreads() async throws {
    let test = try TestListener {
      $0.connections = 8
      $0.briefConnections = 0
      $0.threads = 3
    }
    let clients = try (0..<8).map { _ in try test.client() }
    for client in clients { client.get("/gate") }
    await test.handler.gate.waitForWaiters(count: 8)
    for _ in 0..<5 { #expect(await (try test.client()).answer()?.status == 503) }
    test.handler.gate.open()
    for client in clients { #expect(await client.answer()?.text == "/gate") }
    #expect(await test.stop().refused == [503: 5])
  }

  @Test func aCrowdBeforeTheDoorIsBounded() async throws {
    let test = try TestListener { ($0.connections, $0.briefConnections) = (1, 0) }
    let client = try test.client()
    client.get("/gate")
    await test.handler.gate.waitForWaiters()
    // More than are kept until they have read their refusal. None of them sends or reads.
    let crowd = try (0..<300).map { _ in try test.client() }
    // They are accepted in order, and the last ones are closed at once.
    #expect(await crowd[299].isClosedSilently())
    test.handler.gate.open()
    #expect(await client.answer()?.text == "/gate")
    for other in crowd { other.close() }
    client.get("/after")
    #expect(await client.answer()?.text == "/after")
    let counts = await test.stop()
    #expect(counts.accepted == 301 && counts.refused == [503: 300] && counts.requests == 2)
  }

  @Test func theDefaultsBoundEveryConnection() {
    let settings = ListenerSettings()
    #expect(settings.head.headBytes == 16_384 && settings.head.targetBytes == 8192 && settings.head.fields == 100)
    #expect(settings.head.methods == ["GET", "HEAD", "OPTIONS"])
    for time in [settings.headTime, settings.idleTime, settings.sendTime, settings.lingerTime] {
      #expect(time > .zero && time <= .seconds(60))
    }
    #expect(settings.connections > 0 && settings.threads > 0 && settings.sendBytes > 0 && settings.backlog > 0)
  }
}

extension ListenerClient {
  /// Two requests: when the second is answered, all that happened before the first is seen.
  fileprivate func askUntilSeen() async throws {
    for _ in 0..<2 {
      get("/seen")
      _ = try #require(await answer())
    }
  }
}
