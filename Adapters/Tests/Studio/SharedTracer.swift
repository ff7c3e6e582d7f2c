import InMemoryTracing
import Tracing

/// The tracer of the process of tests, which can be set once.
public enum SharedTracer {
  /// The tracer, which keeps all spans.
  public static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  /// The names of the spans that lead from a span to the root of its trace.
  public static func path(of span: FinishedInMemorySpan) -> [String] {
    let spans = tracer.finishedSpans.filter { $0.traceID == span.traceID }
    var (names, span) = ([span.operationName], span)
    while let parent = span.parentSpanID, let next = spans.first(where: { $0.spanID == parent }) {
      names.append(next.operationName)
      span = next
    }
    return names
  }
}
