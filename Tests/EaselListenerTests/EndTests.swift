import EaselCore
import EaselListener
import EaselTestSupport
import EaselTestTags
import Testing

/// The end of a listener.
@Suite(.tags(.alone))
struct EndTests {
  @Test(arguments: [1, 3])
  func aDrainFinishesWhatRuns(_ threads: Int) async throws {
    let test = try TestListener { $0.threads = threads }
    let idle = try test.client()
    idle.get("/idle")
    #expect(await idle.answer()?.text == "/idle")
    let busy = try (0..<4).map { _ in try test.client() }
    for client in busy { client.get("/gate") }
    await test.handler.gate.waitForWaiters(count: 4)
    async let end: Void = test.listener.drain(within: .seconds(3600))
    #expect(await idle.isClosedSilently())
    test.handler.gate.open()
    for client in busy {
      let answer = try #require(await client.answer())
      #expect(answer.text == "/gate" && answer.headers["Connection"] == "close")
      #expect(await client.isClosedSilently())
      client.close()
    }
    await end
    #expect(test.listener.counts.open == 0 && test.listener.counts.left == 0)
  }

  @Test func requestsThatAreOnTheirWayAreFinished() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    let partial = try test.client()
    partial.send("GET /partial HTT")
    await test.handler.gate.waitForWaiters()
    try await test.settle()
    async let end: Void = test.listener.drain(within: .seconds(3600))
    await test.clock.waitForSleepers()
    partial.send("P/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(await partial.answer())
    #expect(answer.text == "/partial" && answer.headers["Connection"] == "close")
    partial.close()
    test.handler.gate.open()
    let last = try #require(await client.answer())
    // The client is told to ask elsewhere for what it sent behind.
    #expect(last.text == "/gate" && last.headers["Connection"] == "close")
    #expect(await client.isClosedSilently())
    client.close()
    await end
    #expect(!test.handler.targets.contains("/b"))
  }

  @Test func aDrainEndsAtItsDeadline() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/gate")
    await test.handler.gate.waitForWaiters()
    async let end: Void = test.listener.drain(within: .seconds(10))
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(10))
    await end
    #expect(await client.isClosedSilently())
    await test.handler.notes.wait { $0.cancelled == ["/gate"] }
  }

  @Test func nobodyCanConnectDuringADrain() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/gate")
    await test.handler.gate.waitForWaiters()
    test.listener.stopAccepting()
    // An answer on an open connection comes after the order to stop.
    test.handler.gate.open()
    #expect(await client.answer()?.headers["Connection"] == "close")
    #expect(ListenerClient.isRefused(test.listener.addresses[0]))
    client.close()
    await test.listener.waitForEnd()
  }

  @Test func stopCutsAllConnections() async throws {
    let test = try TestListener(
      on: [.tcp(host: "127.0.0.1", port: 0)],
      handler: TestHandler {
        $0.target == "/large" ? TestHandler.body(20_000_000)($0) : TestHandler.echo($0)
      })
    let waiting = try test.client()
    waiting.get("/gate")
    await test.handler.gate.waitForWaiters()
    let reading = try test.client()
    reading.get("/large")
    #expect(await reading.receive(100).count == 100)
    let partial = try test.client()
    partial.send("GET")
    try await test.settle()
    _ = await test.stop()
    #expect(await waiting.isClosedSilently())
    #expect(await partial.rest() != nil)
    #expect(await reading.rest()?.count ?? 0 < 20_000_000)
    await test.handler.notes.wait { $0.cancelled == ["/gate"] }
    #expect(ListenerClient.isRefused(test.listener.addresses[0]))
  }

  @Test func stoppingTwiceIsStoppingOnce() async throws {
    let test = try TestListener()
    await test.listener.drain(within: .seconds(1))
    test.listener.stopAccepting()
    test.listener.stopNow()
    await test.listener.waitForEnd()
    await test.listener.drain(within: .seconds(1))
    test.listener.checkDeadlines()
  }

  @Test func aListenerThatIsReleasedStops() async throws {
    let client: ListenerClient
    do {
      let test = try TestListener()
      client = try test.client()
      client.get("/a")
      #expect(await client.answer()?.text == "/a")
    }
    #expect(await client.isClosedSilently())
  }

  @Test func nothingIsLeftOfAThousandConnections() throws {
    let process = try ListenerProcess(["leaks"])
    #expect(process.end() == "answered 1000 descriptors 0 threads 0\n")
  }

  /// The descriptors of brief connections are there from the beginning.
  @Test func withoutDescriptorsWhatNeedsNoWaitingIsAnswered() async throws {
    let process = try ListenerProcess(["serve", "1", "40"])
    let address = ListenerAddress.tcp(host: "127.0.0.1", port: try #require(Int(process.line())))
    // They stay open, until one is answered and closed because it has the descriptor of a brief connection.
    var clients: [ListenerClient] = []
    var isFull = false
    while !isFull, clients.count < 40 {
      let client = try ListenerClient(address)
      client.get("/1k")
      let answer = try #require(await client.answer())
      #expect(answer.status == 200)
      isFull = answer.headers["Connection"] == "close"
      if isFull { client.close() } else { clients.append(client) }
    }
    #expect(isFull)
    // Each of these ends with its answer and makes room.
    for _ in 0..<40 {
      let next = try ListenerClient(address)
      next.get("/1k")
      #expect(await next.answer()?.body.count == 1024)
      next.close()
    }
    for client in clients { client.close() }
    _ = process.end()
  }

  @Test func aProcessWithoutDescriptorsGoesOnLater() async throws {
    // Of 40 descriptors about 30 are left for connections.
    let process = try ListenerProcess(["serve", "1", "40"])
    let address = ListenerAddress.tcp(host: "127.0.0.1", port: try #require(Int(process.line())))
    let clients = try (0..<60).map { _ in try ListenerClient(address) }
    clients[0].get("/1k")
    #expect(await clients[0].answer()?.body.count == 1024)
    for client in clients[..<30] { client.close() }
    // One of those that waited is served now.
    for client in clients[30...] { client.get("/1k") }
    var answered = 0
    for client in clients[30...] where await client.answer()?.status == 200 { answered += 1 }
    #expect(answered > 0)
    for client in clients { client.close() }
    let next = try ListenerClient(address)
    next.get("/1k")
    #expect(await next.answer()?.status == 200)
    next.close()
    #expect(process.end().contains("paused true"))
  }
}
