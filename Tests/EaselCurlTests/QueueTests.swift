import EaselCore
import EaselTestSupport
import EaselTestTags
import EaselWorkers
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The order of waiting loads.
@Suite(.tags(.alone))
struct QueueTests {
  /// A server that answers `/first*` when the gate is opened, and everything else at once.
  private func server(_ gate: Gate) throws -> ScriptableServer {
    let slow = ServerScript([.wait(gate), .head(200, [("Content-Length", "1")]), .send([1])], keepsAlive: true)
    return try ScriptableServer(routes: ["/first*": .always(slow), "/*": .always(.reply(body: [2]))])
  }

  /// Starts loads while one load holds the only place, and returns the order in which they reached the server.
  private func order(
    of loads: [(path: String, priority: LoadPriority.Live)], _ order: LoadPriority.Order = .firstInFirstOut,
    meanwhile: (CurlLoader) async throws -> Void = { _ in }
  ) async throws -> [String] {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader({
      $0.maximumTransfers = 1
      $0.order = order
    }) { loader in
      var tasks = [Task { _ = try await loader.body(server.url("/first")) }]
      await server.waitForRequests(1)
      for (path, priority) in loads {
        let request = LoadRequest(url: server.url(path), priority: priority)
        let number = loader.loadCount
        tasks.append(Task { _ = try await loader.body(request) })
        // The loads start one after another, so that their order is known.
        while loader.loadCount == number { await Task.yield() }
      }
      try await meanwhile(loader)
      gate.open()
      for task in tasks { try await task.value }
    }
    return server.requests.dropFirst().map(\.path)
  }

  @Test func whoWaitedLongerGoesFirst() async throws {
    let paths = (0..<8).map { "/\($0)" }
    let seen = try await order(of: paths.map { ($0, LoadPriority.Live()) })
    #expect(seen == paths)
  }

  /// Loads whose caches answered late take their places among those that came before them.
  @Test(arguments: [LoadPriority.Order.firstInFirstOut, .lastInFirstOut]) func theTurnOfTheLoadDecides(
    _ kind: LoadPriority.Order
  )
    async throws
  {
    let turns = (0..<6).map { _ in StartNumber.next() }
    var loads: [(path: String, priority: LoadPriority.Live)] = [3, 0, 5, 2, 1, 4].map { index in
      ("/\(index)", LoadPriority.Live(turn: turns[index]))
    }
    loads.append(("/last", LoadPriority.Live()))
    let seen = try await order(of: loads, kind)
    let paths = (0..<6).map { "/\($0)" } + ["/last"]
    #expect(seen == (kind == .firstInFirstOut ? paths : paths.reversed()))
  }

  @Test func whoCameLastGoesFirstWhereAskedFor() async throws {
    let paths = (0..<8).map { "/\($0)" }
    let seen = try await order(of: paths.map { ($0, LoadPriority.Live()) }, .lastInFirstOut)
    #expect(seen == paths.reversed())
  }

  @Test func theMostUrgentGoesFirst() async throws {
    let loads = LoadPriority.allCases.map { ("/\($0)", LoadPriority.Live($0)) }
    let seen = try await order(of: loads)
    #expect(seen == ["/veryHigh", "/high", "/normal", "/low", "/veryLow"])
  }

  @Test func aWaitingLoadFollowsItsPriority() async throws {
    let (one, two, three) = (LoadPriority.Live(), LoadPriority.Live(), LoadPriority.Live())
    let seen = try await order(of: [("/one", one), ("/two", two), ("/three", three)]) { _ in
      three.set(.high)
      one.set(.low)
    }
    #expect(seen == ["/three", "/two", "/one"])
  }

  @Test func noMoreRunThanAllowed() async throws {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader({
      $0.maximumTransfers = 3
      $0.maximumTransfersPerHost = 10
    }) { loader in
      let tasks = (0..<9).map { number in Task { _ = try await loader.body(server.url("/first\(number)")) } }
      await server.waitForRequests(3)
      while loader.loadCount < 9 { await Task.yield() }
      for answered in 1...6 {
        #expect(server.requests.count == 2 + answered)
        gate.letThrough(1)
        await server.waitForRequests(3 + answered)
      }
      gate.open()
      for task in tasks { try await task.value }
      #expect(server.connectionCount == 3)
    }
  }

  @Test(arguments: [true, false]) func theMostAtOnceMayChangeMeanwhile(beforeTheFirst: Bool) async throws {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader({
      $0.maximumTransfers = beforeTheFirst ? 5 : 1
      $0.maximumTransfersPerHost = 10
    }) { loader in
      if beforeTheFirst { loader.maximumTransfers = 1 }
      #expect(loader.maximumTransfers == 1 && loader.transferCount == 0)
      let tasks = (0..<6).map { number in Task { _ = try await loader.body(server.url("/first\(number)")) } }
      await server.waitForRequests(1)
      while loader.loadCount < 6 { await Task.yield() }
      #expect(loader.transferCount == 6 && server.requests.count == 1)
      loader.maximumTransfers = 4
      await server.waitForRequests(4)
      // Three must end before another may begin.
      loader.maximumTransfers = 1
      gate.letThrough(3)
      while loader.transferCount > 3 { await Task.yield() }
      #expect(server.requests.count == 4)
      gate.letThrough(1)
      await server.waitForRequests(5)
      gate.open()
      for task in tasks { try await task.value }
      #expect(loader.transferCount == 0 && server.requests.count == 6)
    }
  }

  @Test(arguments: ["127.0.0.1", "127.0.0.2"])
  func aBusyHostDoesNotHoldUpAnotherHostOrPort(address: String) async throws {
    let gate = Gate()
    let busy = try server(gate)
    defer { busy.close() }
    let other = try ScriptableServer(address: address, routes: ["/*": .always(.reply(body: [3]))])
    defer { other.close() }
    try await withLoader({
      $0.maximumTransfers = 4
      $0.maximumTransfersPerHost = 2
    }) { loader in
      let tasks = (0..<6).map { number in Task { _ = try await loader.body(busy.url("/first\(number)")) } }
      await busy.waitForRequests(2)
      while loader.loadCount < 6 { await Task.yield() }
      for number in 0..<5 {
        let sink = try await loader.body(other.url("/\(number)")).sink
        #expect(sink.body == [3])
      }
      #expect(busy.requests.count == 2)
      gate.open()
      for task in tasks { try await task.value }
      #expect(busy.requests.count == 6)
    }
  }

  @Test func hostsThatSharePlacesLeaveAShareForTheNext() async throws {
    let gate = Gate()
    let servers = try (0..<3).map { _ in try server(gate) }
    defer { for server in servers { server.close() } }
    try await withLoader({
      $0.maximumTransfers = 6
      $0.maximumTransfersPerHost = 6
      $0.sharesTransfersEvenly = true
    }) { loader in
      var tasks: [Task<Void, any Error>] = []
      // Alone a host may have half of the places, beside another a third, and so on.
      for (server, share) in zip(servers, [3, 2, 1]) {
        tasks += (0..<8).map { number in Task { _ = try await loader.body(server.url("/first\(number)")) } }
        while loader.loadCount < tasks.count { await Task.yield() }
        await server.waitForRequests(share)
      }
      #expect(servers.map { $0.requests.count } == [3, 2, 1])
      gate.open()
      for task in tasks { try await task.value }
    }
    #expect(servers.allSatisfy { $0.requests.count == 8 })
  }

  @Test func whenAHostHasEndedTheOthersGetItsShare() async throws {
    let gate = Gate()
    let (busy, brief) = (try server(gate), try server(gate))
    defer {
      busy.close()
      brief.close()
    }
    try await withLoader({
      $0.maximumTransfers = 6
      $0.maximumTransfersPerHost = 6
      $0.sharesTransfersEvenly = true
    }) { loader in
      let first = Task { _ = try await loader.body(brief.url("/first")) }
      await brief.waitForRequests(1)
      let tasks = (0..<8).map { number in Task { _ = try await loader.body(busy.url("/first\(number)")) } }
      while loader.loadCount < 9 { await Task.yield() }
      await busy.waitForRequests(2)
      #expect(busy.requests.count == 2, "Two hosts leave a third of the places for a third one.")
      first.cancel()
      _ = await first.result
      await busy.waitForRequests(3)
      gate.open()
      for task in tasks { try await task.value }
    }
    #expect(busy.requests.count == 8)
  }

  @Test func aCancelledLoadOfABusyHostLeavesItsPlaceToTheNext() async throws {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader({ $0.maximumTransfersPerHost = 1 }) { loader in
      let first = Task { _ = try await loader.body(server.url("/first")) }
      await server.waitForRequests(1)
      let waiting = (0..<5).map { number in Task { try await loader.body(server.url("/\(number)")).sink.body } }
      while loader.loadCount < 6 { await Task.yield() }
      for task in waiting.dropLast() { task.cancel() }
      for task in waiting.dropLast() {
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      gate.open()
      try await first.value
      let last = try await waiting.last!.value
      #expect(last == [2])
    }
    #expect(server.requests.count == 2)
  }

  @Test func aSuspendedQueueStartsNothing() async throws {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader { loader in
      let running = Task { _ = try await loader.body(server.url("/first")) }
      await server.waitForRequests(1)
      loader.isSuspended = true
      #expect(loader.isSuspended)
      let waiting = (0..<3).map { number in Task { _ = try await loader.body(server.url("/\(number)")) } }
      while loader.loadCount < 4 { await Task.yield() }
      // Running transfers continue.
      gate.open()
      try await running.value
      #expect(server.requests.count == 1)
      waiting[0].cancel()
      await #expect(throws: CancellationError.self) { try await waiting[0].value }
      loader.isSuspended = false
      for task in waiting.dropFirst() { try await task.value }
      #expect(server.requests.count == 3)
    }
  }

  @Test func aLoaderCanBeSuspendedBeforeItsFirstLoad() async throws {
    let server = try server(Gate())
    defer { server.close() }
    try await withLoader { loader in
      loader.isSuspended = true
      let waiting = Task { try await loader.body(server.url("/a")).sink.body }
      while loader.loadCount < 1 { await Task.yield() }
      #expect(server.connectionCount == 0)
      loader.isSuspended = false
      let body = try await waiting.value
      #expect(body == [2])
    }
  }

  @Test func closingAnswersEveryoneAndRefusesTheRest() async throws {
    let gate = Gate()
    let server = try server(gate)
    defer { server.close() }
    try await withLoader({ $0.maximumTransfers = 2 }) { loader in
      let tasks = (0..<6).map { number in
        Task { await loader.failure(of: server.url("/first\(number)"))?.code }
      }
      await server.waitForRequests(2)
      while loader.loadCount < 6 { await Task.yield() }
      loader.close()
      for task in tasks { #expect(await task.value == .cancelled) }
      let late = await loader.failure(of: server.url("/late"))
      #expect(late?.code == .cancelled)
      #expect(late?.message.contains("closed") == true)
      await loader.waitForEnd()
      try Task.checkCancellation()
    }
    gate.open()
    await server.waitUntilAllHaveLeft()
  }

  @Test func aDroppedLoaderEndsItsThread() async throws {
    let server = try server(Gate())
    defer { server.close() }
    let commands = try await { () async throws -> CommandQueue? in
      var configuration = CurlLoader.Configuration()
      configuration.proxy = .direct
      let loader = CurlLoader(configuration)
      _ = try await loader.body(server.url("/a"))
      return loader.currentQueue
    }()
    await commands?.waitForEnd()
    await server.waitUntilAllHaveLeft()
    #expect(server.openConnectionCount == 0)
  }
}
