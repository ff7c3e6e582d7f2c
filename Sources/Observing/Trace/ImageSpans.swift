import EaselCore
import EaselSupport
import FoundationEssentials

/// Makes a span of each load, each of its stages and each wait, for the tracing of your choice.
///
/// ```swift
/// func trace(to sink: any TraceSink) {
///   let spans = ImageSpans(to: sink)
///   configuration.addObserver(spans)
///   configuration.requestModifier = spans.modifier(after: configuration.requestModifier)
/// }
/// ```
///
/// A load is a span under that of the task which began it, and its stages are spans under it: transfers, decoding,
/// transformers, encoding, and pauses between attempts. Work that loads share is in the trace of the load that began it;
/// the others wait for it, and their wait names that load. The modifier gives the context of a transfer on to its source.
public final class ImageSpans: ImageObserver {
  /// The subject of a span.
  public enum Kind: String, CaseIterable, Sendable {
    /// A load, from its beginning to its result.
    case load
    /// One attempt to get the bytes from their source.
    case transfer
    /// Decoding.
    case decode
    /// One transformer.
    case transform
    /// Encoding.
    case encode
    /// A pause before another attempt, or a wait for work that another load began.
    case wait
  }

  private let sink: any TraceSink
  private let clock: any ImageClock
  private let state = Locked(State())

  private struct State {
    var loads: [UInt64: RunningLoad] = [:]
    /// The loads that began runs, with their spans.
    var owners: [UInt64: any TraceSpan] = [:]
    /// The transfers that are under way, by their runs.
    var transfers: [UInt64: any TraceSpan] = [:]
  }

  /// A load that has begun and not ended; only one thread at a time is told of its events.
  private struct RunningLoad {
    let span: any TraceSpan
    var fields: [String: String]
    var transfer: Transfer?
    var wait: (span: any TraceSpan, run: UInt64)?
    var ownRuns: Set<UInt64> = []
  }

  private struct Transfer {
    let span: any TraceSpan
    let run: UInt64
    var fields: [String: String]
  }

  /// Creates an observer that hands its spans to a sink.
  public convenience init(to sink: any TraceSink) { self.init(to: sink, clock: SystemClock()) }

  init(to sink: any TraceSink, clock: any ImageClock) {
    self.sink = sink
    self.clock = clock
  }

  /// A modifier that gives the context of each transfer on to its source, after another modifier has done its work.
  public func modifier(after other: (any RequestModifier)? = nil) -> any RequestModifier {
    SpanModifier(spans: self, other: other)
  }

  /// The header fields by which the source of a run's transfer goes on with the trace.
  func headers(of run: UInt64?) -> HTTPHeaders {
    run.flatMap { run in state.withLock { $0.transfers[run] } }?.headers ?? [:]
  }

  /// Begins, ends or describes spans as the event tells.
  public func observe(_ event: ImageEvent) {
    if case .started = event.kind {
      let span = sink.begin(.load, under: nil, for: nil, at: event.began)
      var fields = ["load": String(event.load)]
      if let source = event.url?.absoluteString ?? event.key?.original {
        fields["url"] = LoggedURL(source)?.text ?? "(not shown)"
      }
      return state.withLock { $0.loads[event.load] = RunningLoad(span: span, fields: fields) }
    }
    guard var load = state.withLock({ $0.loads[event.load] }) else { return }
    switch event.kind {
    case .succeeded(let source):
      load.fields["source"] = source.rawValue
      end(event.load, load, nil)
    case .failed(let error): end(event.load, load, error)
    default:
      if let run = event.run {
        if event.isJoined { join(run, event, &load) } else { work(run, event, &load) }
      }
      note(event.kind, in: &load)
      state.withLock { $0.loads[event.load] = load }
    }
  }

  /// Notes what takes no time as fields of the load.
  private func note(_ kind: ImageEvent.Kind, in load: inout RunningLoad) {
    switch kind {
    case .cacheHit: load.fields["cache"] = "hit"
    case .cacheMiss: load.fields["cache"] = "miss"
    case .claimed(let kind, let result): load.fields["claim.\(kind.rawValue)"] = result.rawValue
    default: break
    }
  }

  /// Follows a run that this load began.
  private func work(_ run: UInt64, _ event: ImageEvent, _ load: inout RunningLoad) {
    if load.ownRuns.insert(run).inserted { state.withLock { [span = load.span] in $0.owners[run] = span } }
    switch event.kind {
    case .loading(let attempt):
      endTransfer(of: &load, nil)
      let span = sink.begin(.transfer, under: load.span, for: nil, at: event.began)
      load.transfer = Transfer(span: span, run: run, fields: ["attempt": String(attempt)])
      state.withLock { $0.transfers[run] = span }
    case .response(let head): load.transfer?.fields["status"] = head.status.map { String($0) }
    case .loaded(let count, _):
      load.transfer?.fields["bytes"] = String(count)
      endTransfer(of: &load, nil)
    case .notModified:
      load.transfer?.fields["result"] = "not modified"
      endTransfer(of: &load, nil)
    case .retrying(let delay, let error):
      endTransfer(of: &load, error)
      let pause = sink.begin(.wait, under: load.span, for: nil, at: event.began)
      pause.end(at: event.began.addingTimeInterval(delay / .seconds(1)), ["reason": "retry"], nil)
    case .decoded(let size, let time): add(.decode, event, time, ["size": "\(size)"], load)
    case .transformed(let key, let time):
      // The rest of the key may hold what a user typed.
      add(.transform, event, time, ["transformer": String(key.prefix { $0 != "(" })], load)
    case .encoded(let format, let count, let time):
      add(.encode, event, time, ["format": format.mimeType, "bytes": String(count)], load)
    default: break
    }
  }

  /// Follows a run that another load began.
  private func join(_ run: UInt64, _ event: ImageEvent, _ load: inout RunningLoad) {
    if load.wait == nil {
      let owner = state.withLock { $0.owners[run] }
      load.wait = (sink.begin(.wait, under: load.span, for: owner, at: clock.date), run)
    }
    switch event.kind {
    case .loaded, .notModified: if load.wait?.run == run { endWait(of: &load) }
    default: break
    }
  }

  /// Adds a span of work that is done.
  private func add(
    _ kind: Kind, _ event: ImageEvent, _ time: Duration, _ fields: [String: String], _ load: RunningLoad
  ) {
    sink.begin(kind, under: load.span, for: nil, at: event.began)
      .end(at: event.began.addingTimeInterval(time / .seconds(1)), fields, nil)
  }

  private func endTransfer(of load: inout RunningLoad, _ error: ImageError?) {
    guard let transfer = load.transfer.take() else { return }
    state.withLock { $0.transfers[transfer.run] = nil }
    transfer.span.end(at: clock.date, transfer.fields, error)
  }

  private func endWait(of load: inout RunningLoad) {
    load.wait.take()?.span.end(at: clock.date, ["reason": "shared work"], nil)
  }

  private func end(_ number: UInt64, _ ended: RunningLoad, _ error: ImageError?) {
    var load = ended
    endTransfer(of: &load, error)
    endWait(of: &load)
    state.withLock { state in
      state.loads[number] = nil
      for run in load.ownRuns { state.owners[run] = nil }
    }
    load.span.end(at: clock.date, load.fields, error)
  }
}

/// Gives the context of a transfer on to its source.
private struct SpanModifier: RequestModifier {
  let spans: ImageSpans
  let other: (any RequestModifier)?

  // The fields of a trace change no picture.
  var cacheIdentity: CacheIdentity { other?.cacheIdentity ?? .plain }

  func modify(_ request: LoadRequest) async throws -> LoadRequest? {
    var request = request
    if let other {
      guard let modified = try await other.modify(request) else { return nil }
      request = modified
    }
    request.headers.merge(spans.headers(of: request.run))
    return request
  }
}
