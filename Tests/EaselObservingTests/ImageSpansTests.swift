import EaselCore
import EaselManager
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselObserving

struct ImageSpansTests {
  @TaskLocal fileprivate static var request: String?

  private let book = SpanBook()
  private let clock = ManualClock()
  private var spans: ImageSpans { ImageSpans(to: book, clock: clock) }

  @Test func keepsTheContractOfObservers() async {
    #expect(await ImageObserverContract(spans).check().isEmpty)
  }

  @Test func aLoadHasASpanForEachStage() async throws {
    let studio = LoadStudio(spans)
    _ = try await Self.$request.withValue("7") { studio.load() }.image
    #expect(book.lines == ["load of 7", "transfer in load", "decode in load"])
    let load = try #require(book.spans.first { $0.kind == .load })
    #expect(load.fields["url"] == "https://host/path/a.toy" && load.fields["source"] == "network")
    #expect(book.spans.first { $0.kind == .transfer }?.fields["attempt"] == "1")
    #expect(book.open == 0)
  }

  @Test func timesAreThoseOfTheWork() throws {
    let spans = spans
    let start = clock.date
    spans.observe(ImageEvent(.started, began: start))
    clock.advance(by: .seconds(3))
    spans.observe(
      ImageEvent(
        .decoded(PixelSize(width: 1, height: 1), .seconds(2)), run: 1, began: start.addingTimeInterval(1)))
    clock.advance(by: .seconds(1))
    spans.observe(ImageEvent(.succeeded(.disk), began: start))
    let times = book.spans.map { [$0.start, $0.end!].map { $0.timeIntervalSince(start) } }
    #expect(times == [[0, 4], [1, 3]])
  }

  @Test func anAttemptThatFailsIsFollowedByAWait() throws {
    let spans = spans
    spans.observe(ImageEvent(.started, began: clock.date))
    spans.observe(ImageEvent(.loading(attempt: 1), run: 1, began: clock.date))
    spans.observe(
      ImageEvent(.retrying(after: .seconds(5), ImageError(.network, "No route.")), run: 1, began: clock.date))
    spans.observe(ImageEvent(.loading(attempt: 2), run: 1, began: clock.date))
    spans.observe(ImageEvent(.failed(.cancelled()), began: clock.date))
    #expect(book.lines == ["load of nobody", "transfer in load", "wait in load", "transfer in load"])
    #expect(book.spans.map { $0.error?.code } == [.cancelled, .network, nil, .cancelled])
    #expect(book.open == 0)
  }

  @Test func whoJoinsWaitsForTheLoadThatWorks() throws {
    let spans = spans
    for load in UInt64(1)...2 { spans.observe(ImageEvent(.started, load: load, began: clock.date)) }
    for load in UInt64(1)...2 {
      for kind in [
        ImageEvent.Kind.loading(attempt: 1), .loaded(byteCount: 9, nil),
        .decoded(PixelSize(width: 1, height: 1), .zero),
      ] {
        spans.observe(ImageEvent(kind, load: load, run: 5, isJoined: load == 2, began: clock.date))
      }
    }
    for load in UInt64(1)...2 { spans.observe(ImageEvent(.succeeded(.network), load: load, began: clock.date)) }
    #expect(
      book.lines == [
        "load of nobody", "load of nobody", "transfer in load", "decode in load", "wait in load for load",
        "wait in load for load",
      ])
    #expect(book.open == 0)
  }

  @Test func aSourceIsToldOfItsTransfer() async throws {
    let loader = FakeLoader()
    loader.script(LoadStudio.url, .body(ToyImage(width: 4, height: 4, color: .black).bytes))
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([ToyCoder()]), cache: RecordingCache("cache"))
    let spans = spans
    configuration.addObserver(spans)
    configuration.requestModifier = spans.modifier(after: .headers(["X-Token": "secret"]))
    _ = try await ImageManager(configuration).image(for: LoadStudio.url)
    let sent = try #require(loader.calls(for: LoadStudio.url).first).request.headers
    #expect(sent["traceparent"] == "transfer in load" && sent["X-Token"] == "secret")
  }

  @Test func theModifierKeepsItsContract() async {
    let violations = await RequestModifierContract(spans.modifier()).check()
    #expect(violations.isEmpty, "\(violations)")
    #expect(spans.modifier().cacheIdentity == .plain)
    #expect(spans.modifier(after: .closure { $0 }).cacheIdentity == .instance)
  }
}

/// Keeps spans in the order in which they began.
private final class SpanBook: TraceSink {
  struct Span: Sendable {
    let kind: ImageSpans.Kind
    let line: String
    let start: Date
    var end: Date?
    var fields: [String: String] = [:]
    var error: ImageError?
  }

  private let kept = Locked<[Span]>([])
  var spans: [Span] { kept.withLock { $0 } }
  var lines: [String] { spans.map(\.line) }
  var open: Int { spans.count { $0.end == nil } }

  func begin(
    _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
  ) -> any TraceSpan {
    let place = (parent as? BookedSpan).map { "in \($0.kind)" } ?? "of \(ImageSpansTests.request ?? "nobody")"
    let line = ["\(kind) \(place)"] + ((other as? BookedSpan).map { ["for \($0.kind)"] } ?? [])
    let span = Span(kind: kind, line: line.joined(separator: " "), start: time)
    let number = kept.withLock { kept in
      kept.append(span)
      return kept.count - 1
    }
    return BookedSpan(book: self, number: number, kind: kind, line: span.line)
  }

  func end(_ number: Int, _ change: (inout Span) -> Void) { kept.withLock { change(&$0[number]) } }
}

private struct BookedSpan: TraceSpan {
  let book: SpanBook
  let number: Int
  let kind: ImageSpans.Kind
  let line: String

  var headers: HTTPHeaders { ["traceparent": line] }

  func end(at time: Date, _ fields: [String: String], _ error: ImageError?) {
    book.end(number) { ($0.end, $0.fields, $0.error) = (time, fields, error) }
  }
}
