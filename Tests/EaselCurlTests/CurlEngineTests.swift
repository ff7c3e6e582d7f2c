import CEaselCurl
import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

@Suite(.tags(.alone))
struct CurlEngineTests {
  @Test func aLoopThatFailsEndsWhatRunsAndGoesOnWithTheNext() async throws {
    let body = ServerBody.bytes(3000)
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: body))])
    defer { server.close() }
    let commands = try #require(CommandQueue())
    let sinks = (0..<4).map { _ in KeepingSink() }
    let url = server.url("/a")
    let jobs = sinks.map { sink in
      LoadJob(
        request: LoadRequest(url: url), url: url.absoluteString, server: "127.0.0.1", sink: sink, partial: nil)
    }
    // All four are in the queue when the thread first looks, and two of them run when it fails.
    for job in jobs { #expect(commands.add(.start(job))) }
    let failuresLeft = Locked(1)
    let isStarted = PlainThread.start {
      var configuration = CurlLoader.Configuration()
      configuration.proxy = .direct
      configuration.maximumTransfers = 2
      var calls = EngineCalls()
      calls.run = { loop, milliseconds in
        let mustFail = failuresLeft.withLock { left in
          defer { left = max(0, left - 1) }
          return left > 0
        }
        return mustFail ? CURLM_ABORTED_BY_CALLBACK : easel_loop_run(loop, milliseconds)
      }
      CurlEngine(configuration, commands, calls: calls)?.run()
      commands.end()
    }
    #expect(isStarted)
    var ends: [Result<LoadResult, any Error>] = []
    for job in jobs {
      guard case .end(let result) = await job.nextEvent() else { continue }
      ends.append(result)
    }
    commands.add(.close)
    await commands.waitForEnd()
    #expect(ends.count == 4)
    for end in ends.prefix(2) {
      guard case .failure(let error as ImageError) = end else {
        Issue.record("What ran when the loop failed did not fail.")
        continue
      }
      #expect(error.code == .network)
      #expect(error.message.contains("it can be tried again"))
    }
    for (end, sink) in zip(ends, sinks).dropFirst(2) {
      _ = try end.get()
      #expect(sink.body == body)
    }
  }

  @Test func whatTheSystemRefusedIsTriedAgainWithTheNextLoad() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1, 2, 3]))])
    defer { server.close() }
    let refusalsLeft = Locked(1)
    var configuration = CurlLoader.Configuration()
    configuration.proxy = .direct
    var calls = EngineCalls()
    calls.create = { wakeup, connections in
      let mustRefuse = refusalsLeft.withLock { left in
        defer { left = 0 }
        return left > 0
      }
      return mustRefuse ? nil : easel_loop_create(wakeup, connections)
    }
    let loader = CurlLoader(configuration, calls: calls)
    let failure = await loader.failure(of: server.url("/a"))
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("no thread or descriptor left") == true)
    let sink = try await loader.body(server.url("/a")).sink
    #expect(sink.body == [1, 2, 3])
    loader.close()
    await loader.waitForEnd()
    let late = await loader.failure(of: server.url("/a"))
    #expect(late?.code == .cancelled)
  }
}
