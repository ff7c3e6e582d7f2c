import AdapterStudio
import Easel
import EaselLogging
import EaselService
import EaselTracing
import Testing
import Vapor

@testable import EaselVapor

/// Work for a request knows the trace and the logger of the request.
@Suite(.serialized)
struct CallerTests {
  @Test func loadsBelongToTheTraceOfTheirRequest() async throws {
    let tracer = SharedTracer.tracer
    let studio = try AdapterStudio { $0.trace() }
    try await withApplication({ app in
      app.middleware.use(TracingMiddleware())
      app.serve(studio.pictures, notice: .zero)
    }) { port, _ in
      let answer = try await LoopbackClient.get(AdapterStudio.path, from: port)
      #expect(answer.status == 200)
    }
    let loads = tracer.finishedSpans.filter { $0.operationName == "easel.load" }
    #expect(loads.contains { SharedTracer.path(of: $0) == ["easel.load", "vapor_route_undefined"] })
  }

  @Test func entriesOfTheLogHaveTheNumberOfTheRequest() async throws {
    let book = LogBook()
    let studio = try AdapterStudio { $0.addObserver(.log(to: book.logger(.info))) }
    try await withApplication({ $0.serve(studio.pictures, notice: .zero) }) { port, _ in
      _ = try await LoopbackClient.get(AdapterStudio.path, from: port)
    }
    let entry = try #require(book.entries.first { $0.message == "load succeeded" })
    #expect(entry.metadata["request-id"] != nil)
  }
}
