import EaselCore
import FoundationEssentials

/// Takes the spans of loads, for the tracing of any library.
///
/// ``ImageSpans`` calls it on the way of each load, from several threads at once; it must be quick.
///
/// ```swift
/// struct PrintedSpan: TraceSpan {
///   let headers = HTTPHeaders()
///   func end(at time: Date, _ fields: [String: String], _ error: ImageError?) { print(time, fields) }
/// }
/// struct Printer: TraceSink {
///   func begin(
///     _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
///   ) -> any TraceSpan { PrintedSpan() }
/// }
/// ```
public protocol TraceSink: Sendable {
  /// Begins a span.
  ///
  /// Without a parent it belongs to the span of the current task: the call has the task-locals of the caller of the load.
  /// `other` is the span of another load for whose work a wait is.
  func begin(
    _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
  ) -> any TraceSpan
}

/// A span of a trace: something that began and ends.
public protocol TraceSpan: Sendable {
  /// The header fields by which another server goes on with the trace under this span, such as `traceparent`.
  var headers: HTTPHeaders { get }

  /// Ends the span with what is known of it.
  ///
  /// It is called once. The fields have no secrets: of URLs they have scheme, host and path.
  func end(at time: Date, _ fields: [String: String], _ error: ImageError?)
}
