import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// Traces of requests, as a collector gets them.
@Suite(.tags(.alone)) struct ServeTracesTests {
  /// A span as the collector has it.
  private struct Span: Decodable {
    struct Attribute: Decodable {
      struct Value: Decodable { let stringValue: String? }
      let key: String
      let value: Value
    }

    let traceId: String
    let spanId: String
    let parentSpanId: String?
    let name: String
    let attributes: [Attribute]
    /// The process that sent it.
    var instance = ""

    enum CodingKeys: CodingKey { case traceId, spanId, parentSpanId, name, attributes }
  }

  private struct Export: Decodable {
    struct Resource: Decodable { let attributes: [Span.Attribute] }
    struct Scope: Decodable { let spans: [Span] }
    struct Part: Decodable {
      let resource: Resource
      let scopeSpans: [Scope]
    }
    let resourceSpans: [Part]
  }

  /// A collector of traces.
  private final class Collector: Sendable {
    let server: ScriptableServer

    init() throws { server = try ScriptableServer(routes: ["/v1/traces": .always(.reply(body: Array("{}".utf8)))]) }

    func spans() throws -> [Span] {
      try server.requests(for: "/v1/traces").flatMap { request -> [Span] in
        #expect(request.method == "POST" && request.headers["Content-Type"] == "application/json")
        return try JSONDecoder().decode(Export.self, from: Data(request.body)).resourceSpans.flatMap { part -> [Span] in
          let instance = part.resource.attributes.first { $0.key == "service.instance.id" }?.value.stringValue
          return part.scopeSpans.flatMap(\.spans).map { span in
            var span = span
            span.instance = instance ?? ""
            return span
          }
        }
      }
    }
  }

  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// One server loads from the other, which decodes in the sandbox; both have a Redis.
  @Test(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.missing ?? "")))
  func aTraceLeadsThroughTwoServersRedisAndTheSandbox() async throws {
    let collector = try Collector()
    defer { collector.server.close() }
    let redis = try await RedisServer.shared().port
    let prefix = "trace\(UInt64.random(in: 0 ... .max))"
    let options = [
      "--traces", collector.server.origin, "--trace-ratio", "0", "--allow-private", "--sandbox", "all", "--shared",
      "redis://127.0.0.1:\(redis)?prefix=\(prefix)", "--shared-timeout", "20",
    ]
    try await AsyncScratch.with { scratch in
      let pictures = try ServeProgram.withPictures(in: scratch)
      try await ServeProgram.running(pictures + options, in: scratch) { (behind) async throws in
        try await ServeProgram.running(["--unsafe", "--drain-delay", "0"] + options, in: scratch) {
          (front) async throws in
          let source = "http://127.0.0.1:\(behind.port)/unsafe/w:100/plain/local:///1.png"
          let path = "/unsafe/w:30/plain/\(source.replacing("%", with: "%25"))"
          #expect(try await front.get(path, ["traceparent: \(Self.parent)"]).status == 200)
          // Without a trace of its own, and at a ratio of zero, a request leaves nothing.
          #expect(try await front.get("/unsafe/w:31/plain/\(source)").status == 200)
          for program in [front, behind] {
            program.send(SIGTERM)
            #expect(await program.waitForEnd() == .init(status: 0))
          }
        }
      }
    }
    let spans = try collector.spans()
    #expect(Set(spans.map(\.traceId)) == ["4bf92f3577b34da6a3ce929d0e0e4736"])
    #expect(Set(spans.map(\.instance)).count == 2)
    // Every span but the first has its parent among the others.
    let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.spanId, $0) })
    let roots = spans.filter { names[$0.parentSpanId ?? ""] == nil }
    #expect(roots.map(\.parentSpanId) == ["00f067aa0ba902b7"] && roots.first?.name == "GET picture")
    func way(_ span: Span) -> [String] {
      (span.parentSpanId.flatMap { names[$0] }.map { way($0) } ?? []) + [span.name]
    }
    let ways = Set(spans.map { way($0).joined(separator: " > ") })
    let far = "GET picture > load > transfer > GET picture"
    for wanted in [
      "GET picture > load > decode", "GET picture > sandbox png", "\(far) > load > encode", "\(far) > sandbox png",
    ] {
      #expect(ways.contains(wanted), "\(wanted) is not among \(ways.sorted())")
    }
    #expect(ways.contains { $0.contains("redis get") } && ways.contains { $0.contains("redis put") })
    // The path of a request may have a signature.
    #expect(spans.allSatisfy { span in !span.attributes.contains { $0.value.stringValue?.contains("w:30") == true } })
  }

  @Test func aCollectorThatIsAwayHarmsNobody() async throws {
    try await AsyncScratch.with { scratch in
      let options =
        try ServeProgram.withPictures(in: scratch) + [
          "--traces", "http://127.0.0.1:1", "--trace-ratio", "1", "--metrics", "127.0.0.1:0",
        ]
      try await ServeProgram.running(options, in: scratch) { (program) async throws in
        #expect(try await program.get(ServeProgram.url("w:30", "1.png")).status == 200)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  @Test func levelsOfTheLogLeaveOut() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch) + ["--log-level", "warning"]
      try await ServeProgram.running(options, in: scratch) { (program) async throws in
        #expect(try await program.get(ServeProgram.url("w:30", "1.png")).status == 200)
        #expect(try await program.get(ServeProgram.url("w:30", "none.png")).status == 404)
        program.send(SIGTERM)
        _ = await program.waitForEnd()
        let lines = program.complaints.split(separator: "\n").filter { $0.contains("route=picture") }
        #expect(lines.count == 1 && lines.first?.contains("status=404") == true, "\(program.complaints)")
      }
    }
  }
}
