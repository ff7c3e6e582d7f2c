import EaselCore
import EaselSupport
import FoundationEssentials
import Synchronization

/// Records the spans of requests and loads, and sends them to a collector in the form of OTLP.
///
/// A request that states a trace goes on with it if that is recorded. Of the others, a part is recorded. What belongs to
/// no recorded trace costs one look at a number. If the collector cannot be reached, spans are dropped, and counted.
package final class OTLPTraces: TraceSink {
  /// How spans get to the collector; returns false if they did not get there.
  package typealias Sender = @Sendable (_ body: [UInt8]) async -> Bool

  private struct State {
    var waiting: [SpanRecord] = []
    var sent = 0
    var dropped = 0
    var failed = 0
  }

  /// The counts of spans so far.
  package struct Counts: Hashable, Sendable {
    package let sent: Int
    /// Those for which there was no room, because the collector was too slow.
    package let dropped: Int
    /// Those that the collector did not take.
    package let failed: Int
  }

  private let service: String
  private let version: String
  private let instance: String
  private let capacity: Int
  private let clock: any ImageClock
  private let send: Sender
  private let state = Locked(State())
  /// The part of the requests that are recorded, of 2^64.
  private let share: Atomic<UInt64>
  /// The sum of the shares of all requests, of which each overflow is one that is recorded.
  private let sum = Atomic<UInt64>(TraceNumbers.next())

  /// Creates a recorder of a part of the requests, from 0 to 1.
  package init(
    service: String = "easel", version: String, instance: String = "", ratio: Double, capacity: Int = 8192,
    clock: any ImageClock = SystemClock(), send: @escaping Sender
  ) {
    (self.service, self.version, self.instance) = (service, version, instance)
    self.capacity = max(1, capacity)
    self.clock = clock
    self.send = send
    share = Atomic(Self.share(ratio))
  }

  /// The part of the requests that are recorded from now on.
  package func follow(ratio: Double) { share.store(Self.share(ratio), ordering: .relaxed) }

  private static func share(_ ratio: Double) -> UInt64 {
    ratio >= 1 ? .max : UInt64(max(0, ratio) * 0x1p64.nextDown)
  }

  // MARK: Requests

  /// Begins the span of a request with this `traceparent`; nil if nothing of it is recorded, and nothing goes on.
  package func beginRequest(_ field: String?) -> RequestSpan? {
    if let parent = field.flatMap({ TraceContext($0) }) {
      return RequestSpan(context: parent.child(), parent: parent.span, start: clock.date, traces: self)
    }
    let share = share.load(ordering: .relaxed)
    guard share > 0, share == .max || sum.wrappingAdd(share, ordering: .relaxed).newValue < share else { return nil }
    return RequestSpan(context: TraceContext(isSampled: true), parent: nil, start: clock.date, traces: self)
  }

  /// The span of a request that the server answers.
  package struct RequestSpan: Sendable {
    package let context: TraceContext
    let parent: UInt64?
    let start: Date
    let traces: OTLPTraces

    /// Ends the span with what is known of it.
    package func end(_ name: String, _ fields: [(name: String, value: String)], failure: String?) {
      guard context.isSampled else { return }
      traces.add(
        SpanRecord(
          name: name, kind: .server, context: context, parent: parent, other: nil, start: start,
          end: traces.clock.date, fields: fields, failure: failure))
    }
  }

  // MARK: Loads

  package func begin(
    _ kind: ImageSpans.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
  ) -> any TraceSpan {
    begin(
      kind.rawValue, kind == .transfer ? .client : .internal, under: parent, for: other, at: time)
  }

  /// Begins a span of another kind under that of the present task.
  package func begin(_ name: String, at time: Date) -> any TraceSpan {
    begin(name, .client, under: nil, for: nil, at: time)
  }

  /// Begins a span under a context.
  package func begin(_ name: String, under above: TraceContext, at time: Date) -> any TraceSpan {
    Span(
      context: above.child(), parent: above.span, name: name, kind: .internal, start: time, other: nil, traces: self)
  }

  private func begin(
    _ name: String, _ kind: SpanRecord.Kind, under parent: (any TraceSpan)?, for other: (any TraceSpan)?, at time: Date
  ) -> any TraceSpan {
    guard let above = parent.map({ ($0 as? Span)?.context }) ?? TraceContext.current else { return NoSpan() }
    return Span(
      context: above.child(), parent: above.span, name: name, kind: kind, start: time,
      other: (other as? Span)?.context, traces: self)
  }

  private struct Span: TraceSpan {
    let context: TraceContext
    let parent: UInt64
    let name: String
    let kind: SpanRecord.Kind
    let start: Date
    let other: TraceContext?
    let traces: OTLPTraces

    var headers: HTTPHeaders { ["traceparent": context.field] }

    func end(at time: Date, _ fields: [String: String], _ error: ImageError?) {
      guard context.isSampled else { return }
      traces.add(
        SpanRecord(
          name: name, kind: kind, context: context, parent: parent, other: other, start: start, end: time,
          fields: fields.sorted { $0.key < $1.key }.map { ("easel.\($0.key)", $0.value) },
          // The message may name what is private.
          failure: error?.code.name))
    }
  }

  /// A span of what belongs to no trace.
  private struct NoSpan: TraceSpan {
    var headers: HTTPHeaders { [:] }
    func end(at time: Date, _ fields: [String: String], _ error: ImageError?) {}
  }

  // MARK: Sending

  private func add(_ span: SpanRecord) {
    state.withLock { state in
      guard state.waiting.count < capacity else {
        state.dropped += 1
        return
      }
      state.waiting.append(span)
    }
  }

  package var counts: Counts {
    state.withLock { Counts(sent: $0.sent, dropped: $0.dropped, failed: $0.failed) }
  }

  /// Sends what has ended so far.
  package func flush() async {
    let spans = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for start in stride(from: 0, to: spans.count, by: Self.mostAtOnce) {
      let part = spans[start..<min(start + Self.mostAtOnce, spans.count)]
      let hasArrived = await send(OTLPText(part, service: service, version: version, instance: instance).bytes)
      state.withLock { if hasArrived { $0.sent += part.count } else { $0.failed += part.count } }
    }
  }

  private static let mostAtOnce = 512

  package var metrics: [any Metric] {
    [
      SampledMetric(
        MetricDescription(
          "easel_trace_spans_total", .counter, labels: ["result"],
          "Spans of traces: sent to the collector, dropped for want of room, or refused by it.")
      ) { [self] in
        let counts = self.counts
        return [
          (["sent"], .integer(counts.sent)), (["dropped"], .integer(counts.dropped)),
          (["failed"], .integer(counts.failed)),
        ]
      }
    ]
  }
}
