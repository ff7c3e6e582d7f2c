import Easel
import EaselObserving
import EaselTestSupport
import Foundation
import Testing

/// The snippets about observers that are ready, in WritingAnObserver.md.
struct ReadyObserverSnippets {
  private func configuration() -> ImageManager.Configuration {
    ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry([ToyCoder()]), cache: TieredCache())
  }

  @Test func metrics() throws {
    func observe(_ configuration: inout ImageManager.Configuration) -> ImageMetrics {
      let metrics = ImageMetrics()
      configuration.observer = metrics
      return metrics
    }
    func answer(_ metrics: ImageMetrics) -> (String, String) {
      return (ImageMetrics.contentType, metrics.text())
    }
    var configuration = configuration()
    let (type, text) = answer(observe(&configuration))
    #expect(type.hasPrefix("application/openmetrics-text") && text.hasSuffix("# EOF\n"))
    #expect(configuration.observer is ImageMetrics)
  }

  @Test func log() {
    var configuration = configuration()
    configuration.observer = ImageLog(from: .warning) { entry in
      print(entry.level, entry.message, entry.fields.sorted(by: <))
    }
    #expect(configuration.observer is ImageLog)
  }

  private struct Sink: TraceSink, TraceSpan {
    var headers: HTTPHeaders { ["traceparent": "00-1-2-01"] }
    func begin(
      _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
    ) -> any TraceSpan { self }
    func end(at time: Date, _ fields: [String: String], _ error: ImageError?) {}
  }

  @Test func spans() {
    var configuration = configuration()
    let sink = Sink()
    let spans = ImageSpans(to: sink)
    configuration.addObserver(spans)
    configuration.requestModifier = spans.modifier(after: configuration.requestModifier)
    #expect(configuration.observer is ImageSpans && configuration.requestModifier?.cacheIdentity == .plain)
  }

  @Test func trace() throws {
    var configuration = configuration()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("easel-trace-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let trace = ImageTrace()
    configuration.observer = trace
    try Data(trace.json().utf8).write(to: file)
    #expect(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) is [String: Any])
    #expect(configuration.observer is ImageTrace)
  }
}
