import EaselCore
import EaselSupport
import EaselTestSupport
import Foundation
import Testing

@testable import EaselObserving

struct OTLPTracesTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private let clock = ManualClock()

  private struct Sent: Sendable {
    let bodies = Locked<[[UInt8]]>([])

    /// The spans of all bodies so far.
    func spans() throws -> [[String: Any]] {
      try bodies.withLock { $0 }.flatMap { body -> [[String: Any]] in
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let resources = object?["resourceSpans"] as? [[String: Any]]
        let scopes = resources?.first?["scopeSpans"] as? [[String: Any]]
        return scopes?.first?["spans"] as? [[String: Any]] ?? []
      }
    }
  }

  private func traces(_ sent: Sent, ratio: Double = 0, capacity: Int = 100, works: Bool = true) -> OTLPTraces {
    OTLPTraces(version: "1.0", instance: "here:1", ratio: ratio, capacity: capacity, clock: clock) { body in
      sent.bodies.withLock { $0.append(body) }
      return works
    }
  }

  @Test func aRequestAndItsLoadAreOneTrace() async throws {
    let sent = Sent()
    let traces = traces(sent)
    let request = try #require(traces.beginRequest(Self.parent))
    let spans = ImageSpans(to: traces, clock: clock)
    let start = clock.date
    TraceContext.$current.withValue(request.context) {
      spans.observe(ImageEvent(.started, url: URL(string: "https://u:p@host/a?b"), began: start))
    }
    spans.observe(ImageEvent(.loading(attempt: 1), run: 3, began: start))
    let given = try #require(TraceContext(spans.headers(of: 3)["traceparent"] ?? ""))
    clock.advance(by: .seconds(2))
    spans.observe(ImageEvent(.failed(ImageError(.network, "No \"route\"\nto the host.")), began: start))
    request.end("GET picture", [("http.route", "picture \u{7}\\\"")], failure: nil)
    await traces.flush()
    let all = try sent.spans()
    #expect(Set(all.compactMap { $0["traceId"] as? String }) == ["4bf92f3577b34da6a3ce929d0e0e4736"])
    let byName = Dictionary(uniqueKeysWithValues: all.map { ($0["name"] as? String ?? "", $0) })
    #expect(Set(byName.keys) == ["GET picture", "load", "transfer"])
    #expect(byName["GET picture"]?["parentSpanId"] as? String == "00f067aa0ba902b7")
    #expect(byName["load"]?["parentSpanId"] as? String == byName["GET picture"]?["spanId"] as? String)
    #expect(byName["transfer"]?["parentSpanId"] as? String == byName["load"]?["spanId"] as? String)
    #expect(byName["transfer"]?["spanId"] as? String == given.spanText)
    #expect(byName["load"]?["startTimeUnixNano"] as? String == "1000000000000000000")
    #expect(byName["load"]?["endTimeUnixNano"] as? String == "1000000002000000000")
    #expect([byName["GET picture"], byName["transfer"], byName["load"]].map { $0?["kind"] as? Int } == [2, 3, 1])
    #expect((byName["load"]?["status"] as? [String: Any])?["message"] as? String == "network")
    let text = String(decoding: sent.bodies.withLock { $0.joined() }, as: UTF8.self)
    #expect(text.contains("https://host/a") && !text.contains("u:p") && !text.contains("?b"))
    #expect(text.contains("\"service.instance.id\",\"value\":{\"stringValue\":\"here:1\"}"))
    #expect(traces.counts == .init(sent: 3, dropped: 0, failed: 0))
  }

  @Test func onlyAPartIsRecorded() throws {
    let sent = Sent()
    let none = traces(sent)
    #expect(none.beginRequest(nil) == nil && none.beginRequest("nonsense") == nil)
    #expect(traces(sent, ratio: 1).beginRequest(nil) != nil)
    let some = traces(sent, ratio: 0.25)
    let count = (0..<4000).count { _ in some.beginRequest(nil) != nil }
    #expect((700...1300).contains(count))
    none.follow(ratio: 1)
    #expect(none.beginRequest(nil) != nil)
  }

  /// What is not recorded here is not recorded elsewhere either, and its place is still told.
  @Test func aTraceThatIsNotRecordedGoesOn() async throws {
    let sent = Sent()
    let traces = traces(sent, ratio: 1)
    let request = try #require(traces.beginRequest(Self.parent.dropLast(2) + "00"))
    let span = TraceContext.$current.withValue(request.context) {
      traces.begin(.transfer, under: nil, for: nil, at: clock.date)
    }
    #expect(span.headers["traceparent"]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
    #expect(span.headers["traceparent"]?.hasSuffix("-00") == true)
    span.end(at: clock.date, [:], nil)
    request.end("GET", [], failure: nil)
    await traces.flush()
    #expect(try sent.spans().isEmpty)
  }

  @Test func whatBelongsToNoTraceIsNothing() async throws {
    let sent = Sent()
    let traces = traces(sent, ratio: 1)
    let span = traces.begin(.load, under: nil, for: nil, at: clock.date)
    #expect(span.headers.isEmpty)
    span.end(at: clock.date, [:], nil)
    traces.begin(.decode, under: span, for: nil, at: clock.date).end(at: clock.date, [:], nil)
    await traces.flush()
    #expect(try sent.spans().isEmpty)
  }

  @Test func thereIsRoomForAFew() async throws {
    let sent = Sent()
    let traces = traces(sent, ratio: 1, capacity: 2, works: false)
    for _ in 0..<5 { traces.beginRequest(nil)?.end("GET", [], failure: "x") }
    await traces.flush()
    #expect(traces.counts == .init(sent: 0, dropped: 3, failed: 2))
    #expect(try sent.spans().count == 2)
  }
}
