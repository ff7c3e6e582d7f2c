import Hummingbird

/// Runs an application on a port of the system's choice while the body runs.
func withApplication<Context: RequestContext>(
  _ router: Router<Context>, _ body: (_ port: Int) async throws -> Void
) async throws where Context.Source == ApplicationRequestContextSource {
  let (ports, found) = AsyncStream<Int>.makeStream()
  let app = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in found.yield(channel.localAddress!.port!) })
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await app.run() }
    var iterator = ports.makeAsyncIterator()
    let port = await iterator.next()!
    try await body(port)
    group.cancelAll()
    // An application that is cancelled says so.
    do { try await group.waitForAll() } catch is CancellationError {}
  }
}
