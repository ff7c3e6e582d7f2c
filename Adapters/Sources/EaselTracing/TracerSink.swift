import EaselCore
import EaselObserving
import FoundationEssentials
import Tracing

/// Hands the spans of loads to a tracer.
public struct TracerSink: TraceSink {
  private let tracer: (any Tracer)?

  /// Takes the tracer; without one it is that with which the program was bootstrapped.
  public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

  /// Begins a span named after its kind, such as `easel.decode`.
  public func begin(
    _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
  ) -> any TraceSpan {
    let tracer = tracer ?? InstrumentationSystem.tracer
    let context = (parent as? TracerSpan)?.span.context ?? ServiceContext.current ?? .topLevel
    let span = tracer.startSpan(
      "easel.\(kind.rawValue)", context: context, ofKind: kind == .transfer ? .client : .internal,
      at: SpanTime(time), function: #function, file: #fileID, line: #line)
    if let other = other as? TracerSpan { span.addLink(SpanLink(context: other.span.context, attributes: [:])) }
    return TracerSpan(span: span, tracer: tracer)
  }
}

/// A span of a tracer.
struct TracerSpan: TraceSpan {
  let span: any Tracing.Span
  let tracer: any Tracer

  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    tracer.inject(span.context, into: &headers, using: HeaderInjector())
    return headers
  }

  func end(at time: Date, _ fields: [String: String], _ error: ImageError?) {
    span.updateAttributes { attributes in
      for (name, value) in fields { attributes["easel.\(name)"] = value }
    }
    if let error {
      span.recordError(error, attributes: [:], at: SpanTime(time))
      if !error.isCancellation { span.setStatus(SpanStatus(code: .error, message: error.code.name)) }
    }
    span.end(at: SpanTime(time))
  }
}

/// Writes the context of a trace into header fields.
struct HeaderInjector: Injector {
  func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers[key] = value }
}

/// A time for tracers.
struct SpanTime: TracerInstant {
  let nanosecondsSinceEpoch: UInt64

  init(_ time: Date) { nanosecondsSinceEpoch = UInt64(max(0, time.timeIntervalSince1970) * 1e9) }

  static func < (left: SpanTime, right: SpanTime) -> Bool { left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch }
}
