import AdapterStudio
import Easel
import EaselTestSupport
import EaselTracing
import InMemoryTracing
import Testing
import Tracing

struct TracerSinkTests {
  private let tracer = InMemoryTracer()

  @Test func aLoadAndItsStagesBelongToTheSpanOfTheirTask() async throws {
    let studio = try AdapterStudio { $0.trace(with: tracer) }
    let request = tracer.startSpan("request")
    await ServiceContext.$current.withValue(request.context) {
      #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 200)
    }
    request.end()
    let spans = tracer.finishedSpans
    let load = try #require(spans.first { $0.operationName == "easel.load" })
    #expect(load.parentSpanID == request.spanID && load.traceID == request.traceID)
    #expect(load.attributes.get("easel.url") == .string("http://pictures.test/a.png"))
    let stages = spans.filter { $0.parentSpanID == load.spanID }
    #expect(
      Set(stages.map(\.operationName)) == ["easel.transfer", "easel.decode", "easel.transform", "easel.encode"])
    for stage in stages {
      #expect(stage.startInstant.nanosecondsSinceEpoch >= load.startInstant.nanosecondsSinceEpoch - 1_000_000)
      #expect(stage.endInstant.nanosecondsSinceEpoch <= load.endInstant.nanosecondsSinceEpoch + 1_000_000)
    }
  }

  @Test func theSourceGetsTheContextOfItsTransfer() async throws {
    let studio = try AdapterStudio {
      $0.requestModifier = .headers(["X-Token": "secret"])
      $0.trace(with: tracer)
    }
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 200)
    let sent = try #require(studio.loader.calls(for: AdapterStudio.source).first).request.headers
    let transfer = try #require(tracer.finishedSpans.first { $0.operationName == "easel.transfer" })
    #expect(sent[InMemoryTracer.spanIDKey] == transfer.spanID && sent[InMemoryTracer.traceIDKey] == transfer.traceID)
    #expect(sent["X-Token"] == "secret" && transfer.kind == .client)
  }

  @Test func aFailureIsAnErrorOfItsSpans() async throws {
    let studio = try AdapterStudio { $0.trace(with: tracer) }
    studio.loader.script(AdapterStudio.source, .status(404))
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 404)
    for name in ["easel.load", "easel.transfer"] {
      let span = try #require(tracer.finishedSpans.first { $0.operationName == name })
      #expect(span.status?.code == .error && span.errors.count == 1, "\(name)")
    }
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func aLoadThatJoinsWaitsForTheOther() async throws {
    let studio = try AdapterStudio { $0.trace(with: tracer) }
    studio.loader.suspend(AdapterStudio.source)
    let manager = studio.pictures
    async let first = manager.response(to: .init(target: AdapterStudio.path))
    await studio.loader.waitUntilSuspended(AdapterStudio.source)
    async let second = manager.response(to: .init(target: AdapterStudio.path))
    await studio.observer.wait { $0.isJoined }
    studio.loader.resume(AdapterStudio.source)
    #expect(await [first.status, second.status] == [200, 200])
    let wait = try #require(tracer.finishedSpans.first { $0.operationName == "easel.wait" })
    let loads = tracer.finishedSpans.filter { $0.operationName == "easel.load" }
    let other = try #require(loads.first { $0.spanID != wait.parentSpanID })
    #expect(wait.links.map(\.context.inMemorySpanContext?.spanID) == [other.spanID])
    #expect(tracer.finishedSpans.count { $0.operationName == "easel.decode" } == 1)
    #expect(loads.count == 2 && tracer.activeSpans.isEmpty)
  }
}
