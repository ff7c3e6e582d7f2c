import EaselCore
import EaselManager
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// A transfer that waits for its receiver does not block others.
@Suite(.tags(.alone))
struct PausedTransferTests {
  private let picture = ToyImage(width: 20, height: 10, color: PixelColor(red: 1, green: 2, blue: 3, alpha: 255))

  @Test(arguments: [(6, 6), (6, 1), (1, 1)])
  func modifiersThatLoadThroughTheSameManagerComeToAnEnd(most: Int, perHost: Int) async throws {
    let bytes = picture.bytes
    let server = try ScriptableServer(routes: ["/*": .always(.reply(body: bytes))])
    defer { server.close() }
    try await withLoader({
      $0.maximumTransfers = most
      $0.maximumTransfersPerHost = perHost
    }) { loader in
      let manager = Locked<ImageManager?>(nil)
      let waiting = Watched(0)
      var configuration = ImageManager.Configuration(
        loader: loader, coder: CoderRegistry([ToyCoder()]), cache: RecordingCache())
      configuration.responseModifier = .closure { head in
        guard let url = head.url, url.path().hasPrefix("/outer") else { return head }
        waiting.withLock { $0 += 1 }
        // All loads hold their places, if they hold any, before one of them loads another picture.
        await waiting.wait { $0 >= min(most, perHost) }
        let inner = server.url("/inner" + url.path())
        _ = try await manager.withLock { $0 }?.image(for: inner)
        return head
      }
      manager.withLock { $0 = ImageManager(configuration) }
      let loads = manager.withLock { $0 }!
      let sizes = try await withThrowingTaskGroup(of: PixelSize.self) { group in
        for number in 0..<6 {
          group.addTask { try await loads.image(for: server.url("/outer\(number)")).size }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(sizes == Array(repeating: picture.size, count: 6))
      manager.withLock { $0 = nil }
    }
  }

  @Test func aReceiverThatTakesNothingGivesItsPlaceAway() async throws {
    let body = ServerBody.bytes(400_000)
    let server = try ScriptableServer(routes: ["/*": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader({ $0.maximumTransfers = 1 }) { loader in
      let paused = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/paused")), into: paused) }
      await paused.waitUntilPaused()
      for number in 0..<3 {
        let sink = try await loader.body(server.url("/\(number)")).sink
        #expect(sink.body == body)
      }
      paused.resumeForGood()
      _ = try await loading.value
      #expect(paused.body == body)
    }
  }

  @Test func aPausedTransferThatIsCancelledLeavesTheCountsRight() async throws {
    let server = try ScriptableServer(routes: ["/*": .always(.reply(body: ServerBody.bytes(400_000)))])
    defer { server.close() }
    try await withLoader({
      $0.maximumTransfers = 2
      $0.maximumTransfersPerHost = 2
    }) { loader in
      for _ in 0..<5 {
        let sink = RecordingSink()
        sink.headGate.close()
        let loading = Task { try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
        await sink.headGate.waitForWaiters()
        loading.cancel()
        sink.headGate.open()
        await #expect(throws: CancellationError.self) { try await loading.value }
      }
      let gate = Gate()
      let slow = ServerScript([.wait(gate), .head(200, [("Content-Length", "1")]), .send([1])], keepsAlive: true)
      server.setRoute("/slow", .always(slow))
      let before = loader.loadCount
      let tasks = (0..<4).map { _ in Task { _ = try await loader.body(server.url("/slow")) } }
      await server.waitForRequests(2, path: "/slow")
      while loader.loadCount < before + 4 { await Task.yield() }
      #expect(server.requests(for: "/slow").count == 2)
      gate.open()
      for task in tasks { try await task.value }
    }
  }
}
