import EaselCore
import EaselListener
import EaselService
import EaselTestSupport
import EaselTestTags
import Testing

/// Clients that do not wait for their answer.
@Suite(.tags(.alone))
struct LeavingTests {
  /// The ways to leave.
  enum Way: CaseIterable, Sendable {
    case close, reset, closeSending

    func leave(_ client: ListenerClient) {
      switch self {
      case .close: client.close()
      case .reset: client.reset()
      case .closeSending: client.closeSending()
      }
    }
  }

  @Test(arguments: Way.allCases)
  func theHandlerHearsOfAClientThatLeaves(_ way: Way) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/gate")
    await test.handler.gate.waitForWaiters()
    way.leave(client)
    await test.handler.notes.wait { $0.cancelled == ["/gate"] }
    let counts = await test.stop()
    #expect(counts.left == 1 && counts.requests == 1)
  }

  @Test(arguments: Way.allCases)
  func bytesThatAreNotReadYetDoNotHideIt(_ way: Way) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    await test.handler.gate.waitForWaiters()
    client.send([UInt8](repeating: 0x61, count: 100_000))
    way.leave(client)
    await test.handler.notes.wait { $0.cancelled == ["/gate"] }
    _ = await test.stop()
    #expect(test.handler.targets == ["/gate"])
  }

  @Test func othersAreServedMeanwhile() async throws {
    let test = try TestListener()
    let clients = try (0..<20).map { _ in try test.client() }
    for client in clients { client.get("/gate") }
    await test.handler.gate.waitForWaiters(count: 20)
    for client in clients[..<10] { client.close() }
    await test.handler.notes.wait { $0.cancelled.count == 10 }
    test.handler.gate.open()
    for client in clients[10...] { #expect(await client.answer()?.text == "/gate") }
    #expect(await test.stop().left == 10)
  }

  @Test func anAnswerThatNobodyWantsIsDropped() async throws {
    let test = try TestListener(handler: TestHandler(TestHandler.body(50_000_000)))
    let client = try test.client()
    client.get("/")
    #expect(await client.receive(1000).count == 1000)
    client.reset()
    // The listener still works, and the next connection may get the same place in its table.
    let next = try test.client()
    next.get("/", method: "HEAD")
    #expect(await next.answer(isHeadOnly: true)?.headers["Content-Length"] == "50000000")
    #expect(await test.stop().left == 1)
  }

  @Test func aLateAnswerDoesNotReachTheNextClient() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/gate/first")
    await test.handler.gate.waitForWaiters()
    client.close()
    await test.handler.notes.wait { $0.cancelled == ["/gate/first"] }
    let next = try test.client()
    next.get("/gate/second")
    await test.handler.gate.waitForWaiters()
    test.handler.gate.open()
    #expect(await next.answer()?.text == "/gate/second")
    _ = await test.stop()
  }

  @Test func clientsThatLeaveAtOnceAreForgotten() async throws {
    let test = try TestListener()
    for number in 0..<200 {
      let client = try test.client()
      if number % 2 == 0 { client.send("GET /half") }
      if number % 3 == 0 { client.reset() } else { client.close() }
    }
    let client = try test.client()
    client.get("/")
    #expect(await client.answer()?.text == "/")
    let counts = await test.stop()
    #expect(counts.requests == 1 && counts.left == 0)
  }
}
