import AdapterStudio
import Easel
import EaselHummingbird
import EaselService
import EaselTestSupport
import EaselTracing
import Hummingbird
import Testing

/// One trace leads from a request of Hummingbird through the stages of Easel to the server that has the original.
@Suite(.serialized)
struct TraceTests {
  @Test func oneTraceReachesASecondServer() async throws {
    let tracer = SharedTracer.tracer
    let png = try AdapterStudio.png()
    // The second server is another application, with a trace of its own requests.
    let origin = Router(context: BasicRequestContext.self)
    origin.add(middleware: TracingMiddleware())
    origin.get("/a.png") { _, _ in
      Response(status: .ok, headers: [.contentType: "image/png"], body: .init(byteBuffer: ByteBuffer(bytes: png)))
    }
    try await withApplication(origin) { port in
      let studio = try AdapterStudio(sources: ["http://127.0.0.1:\(port)"]) {
        $0.loader = CurlLoader()
        $0.trace()
      }
      let router = Router(context: PictureRequestContext.self)
      router.add(middleware: TracingMiddleware())
      router.add(middleware: PictureMiddleware(studio.pictures))
      let path = "/pictures/unsafe/rs:fit:8:8/plain/http://127.0.0.1:\(port)/a.png"
      try await withApplication(router) { port in
        let answer = try await LoopbackClient.get(path, from: port)
        #expect(answer.status == 200)
      }
    }
    let origins = try #require(tracer.finishedSpans.first { $0.operationName == "/a.png" })
    let spans = tracer.finishedSpans.filter { $0.traceID == origins.traceID }
    #expect(SharedTracer.path(of: origins) == ["/a.png", "easel.transfer", "easel.load", "/pictures/**"])
    #expect(Set(spans.map(\.operationName)).isSuperset(of: ["easel.decode", "easel.encode"]))
    #expect(!tracer.activeSpans.contains { $0.traceID == origins.traceID })
  }
}
