import EaselListener
import EaselTestSupport
import EaselTestTags
import Testing

/// Clients that take their time; the clock moves only when a test moves it.
@Suite(.tags(.alone))
struct DeadlineTests {
  @Test func aWholeHeadHasToComeInTime() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("GET / HT")
    for _ in 0..<4 {
      try await test.settle()
      test.advance(by: .seconds(1))
      client.send("T")
    }
    try await test.settle()
    #expect(test.listener.counts.refused.isEmpty)
    // A byte each second does not help.
    test.advance(by: .seconds(1))
    let answer = try #require(await client.answer())
    #expect(answer.status == 408 && answer.headers["Connection"] == "close")
    #expect(await client.isClosedSilently())
    #expect(await test.stop().refused == [408: 1])
  }

  @Test func aClientThatSaysNothingGetsNoAnswer() async throws {
    let test = try TestListener()
    let client = try test.client()
    try await test.settle()
    test.advance(by: .milliseconds(4999))
    try await test.settle()
    #expect(test.listener.counts.idled == 0)
    test.advance(by: .milliseconds(1))
    #expect(await client.isClosedSilently())
    let counts = await test.stop()
    #expect(counts.idled == 1 && counts.refused.isEmpty)
  }

  @Test func anIdleConnectionIsClosedLater() async throws {
    let test = try TestListener()
    let client = try test.client()
    for _ in 0..<3 {
      client.get("/a")
      #expect(await client.answer()?.text == "/a")
      test.advance(by: .milliseconds(59_999))
    }
    try await test.settle()
    test.advance(by: .milliseconds(1))
    #expect(await client.isClosedSilently())
    #expect(await test.stop().idled == 1)
  }

  @Test func anotherTimeHoldsForThoseThatWaitAlready() async throws {
    let test = try TestListener()
    var clients: [ListenerClient] = []
    for _ in 0..<2 {
      let client = try test.client()
      client.get("/a")
      #expect(await client.answer()?.text == "/a")
      clients.append(client)
      test.advance(by: .seconds(10))
    }
    try await test.settle()
    var settings = ListenerSettings()
    settings.idleTime = .seconds(30)
    test.listener.follow(settings)
    try await test.settle()
    #expect(test.listener.counts.idled == 0)
    test.advance(by: .seconds(10))
    #expect(await clients[0].isClosedSilently())
    try await test.settle()
    #expect(test.listener.counts.idled == 1)
    settings.idleTime = .seconds(60)
    test.listener.follow(settings)
    test.advance(by: .seconds(39))
    try await test.settle()
    #expect(test.listener.counts.idled == 1)
    test.advance(by: .seconds(1))
    #expect(await clients[1].isClosedSilently())
    _ = await test.stop()
  }

  @Test func theNextHeadHasItsOwnTime() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/a")
    #expect(await client.answer()?.text == "/a")
    test.advance(by: .seconds(59))
    client.send("GET /b")
    try await test.settle()
    test.advance(by: .milliseconds(4900))
    client.send(" HTTP/1.1\r\nHost: a\r\n\r\nGET /c")
    #expect(await client.answer()?.text == "/b")
    // The rest of the piece began with the answer.
    test.advance(by: .milliseconds(4999))
    try await test.settle()
    #expect(test.listener.counts.refused.isEmpty)
    test.advance(by: .milliseconds(1))
    #expect(await client.answer()?.status == 408)
    _ = await test.stop()
  }

  @Test func theHandlerMayTakeAnyTime() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/gate")
    await test.handler.gate.waitForWaiters()
    test.advance(by: .seconds(3600))
    try await test.settle()
    test.handler.gate.open()
    #expect(await client.answer()?.text == "/gate")
    // The time that the handler took does not count as idle.
    client.get("/next")
    #expect(await client.answer()?.text == "/next")
    _ = await test.stop()
  }

  @Test func aClientThatStopsReadingIsCutOff() async throws {
    let test = try TestListener(handler: bodyHandler(50_000_000))
    let client = try test.client(receiveBuffer: 4096)
    client.get("/")
    #expect(await client.receive(1000).count == 1000)
    // Until the first deadline the system took more for the client than it must; after that it takes nothing.
    for _ in 0..<3 {
      try await test.settle()
      test.advance(by: .seconds(10))
    }
    #expect(await client.rest() == nil)
    let counts = await test.stop()
    #expect(counts.stalled == 1 && counts.left == 1)
  }

  @Test func aClientThatReadsInSmallStepsIsCutOff() async throws {
    let test = try TestListener(handler: bodyHandler(50_000_000)) { $0.sendBytes = 65_536 }
    let client = try test.client(receiveBuffer: 4096)
    client.get("/")
    for _ in 0..<20 {
      guard await client.receive(100).count == 100 else { break }
      try await test.settle()
      test.advance(by: .seconds(10))
    }
    #expect(await test.stop().stalled == 1)
  }

  @Test func aSlowClientThatGoesOnReadingGetsAll() async throws {
    let count = 4_000_000
    let test = try TestListener(handler: bodyHandler(count))
    let client = try test.client(receiveBuffer: 65_536)
    client.get("/")
    var received = 0
    while received < count {
      let part = await client.receive(min(250_000, count - received)).count
      guard part > 0 else { break }
      received += part
      try await test.settle()
      test.advance(by: .milliseconds(9900))
    }
    #expect(received == count)
    let counts = await test.stop()
    #expect(counts.stalled == 0 && counts.requests > 10)
  }

  @Test func aClientThatNeverClosesIsClosed() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/", fields: ["Connection: close"])
    #expect(await client.answer()?.text == "/")
    async let end: Void = test.listener.drain(within: .seconds(3600))
    // The sleeper is the drain, which has told the thread to stop accepting by then.
    await test.clock.waitForSleepers()
    test.advance(by: .seconds(2))
    await end
    #expect(test.clock.uptime == .seconds(2))
  }

  @Test func deadlinesOfManyConnectionsEndInTurn() async throws {
    let test = try TestListener()
    var clients: [ListenerClient] = []
    for _ in 0..<30 {
      clients.append(try test.client())
      try await test.settle()
      test.advance(by: .milliseconds(100))
    }
    // Some go out of the middle of the queue.
    for index in stride(from: 1, to: 30, by: 3) {
      clients[index].get("/\(index)")
      #expect(await clients[index].answer()?.text == "/\(index)")
    }
    test.advance(by: .milliseconds(3000))
    try await test.settle()
    // The first eleven began 5 seconds ago or earlier; four of them have answers.
    #expect(test.listener.counts.idled == 7)
    test.advance(by: .seconds(3))
    try await test.settle()
    #expect(test.listener.counts.idled == 20)
    for (index, client) in clients.enumerated() where index % 3 != 1 { #expect(await client.isClosedSilently()) }
    _ = await test.stop()
  }

  /// A handler with a large body, but not for those who wait until all is seen.
  private func bodyHandler(_ count: Int) -> TestHandler {
    let body = TestHandler.body(count)
    return TestHandler { $0.target == "/settle" ? TestHandler.echo($0) : body($0) }
  }
}
