import EaselCore

/// The loads and runs of a trace.
struct TraceRecord: Sendable {
  /// A named period in the row of a load or a run.
  struct Stage: Sendable {
    var name: String
    var start: Duration
    /// Nil while the stage lasts.
    var end: Duration?
    var details: [(name: String, value: String)] = []
  }

  struct LoadRow: Sendable {
    let number: UInt64
    var url: String
    let start: Duration
    var end: Duration?
    var result = "running"
    var moments: [Stage] = []
    /// The runs in which the load takes part, and the times at which it got their first events.
    var runs: [(number: UInt64, time: Duration, isJoined: Bool)] = []
  }

  struct RunRow: Sendable {
    let number: UInt64
    var start: Duration
    var end: Duration
    var stages: [Stage] = []
    var moments: [Stage] = []
    /// The index in `stages` of the transfer that is running.
    var transfer: Int?
    /// The running loads that take part in the run.
    var loads: Set<UInt64> = []
  }

  let origin: Duration
  private(set) var loads: [UInt64: LoadRow] = [:]
  private(set) var runs: [UInt64: RunRow] = [:]
  private(set) var dropped = 0
  private var room: Int

  init(limit: Int, origin: Duration) {
    room = max(0, limit)
    self.origin = origin
  }

  mutating func add(_ event: ImageEvent, isNews: Bool, at now: Duration) {
    if case .started = event.kind {
      guard takeRoom() else { return }
      let source = event.url?.absoluteString ?? event.key?.original
      let url = source.map { LoggedURL($0)?.text ?? "(not shown)" } ?? "(no URL)"
      loads[event.load] = LoadRow(number: event.load, url: url, start: now)
      return
    }
    takePart(event, at: now)
    switch event.kind {
    case .succeeded(let source): end(event.load, "from \(source.rawValue)", at: now)
    case .failed(let error): end(event.load, error.isCancellation ? "cancelled" : error.code.name, at: now)
    default:
      guard isNews else { return }
      if let run = event.run {
        addStage(event.kind, to: run, at: now)
      } else if let moment = Self.moment(event.kind, at: now), loads[event.load] != nil, takeRoom() {
        loads[event.load]?.moments.append(moment)
      }
    }
  }

  private mutating func takeRoom() -> Bool {
    guard room > 0 else {
      dropped += 1
      return false
    }
    room -= 1
    return true
  }

  /// Notes that the load of an event takes part in a run.
  private mutating func takePart(_ event: ImageEvent, at now: Duration) {
    guard let run = event.run, let load = loads[event.load], load.end == nil else { return }
    if runs[run] == nil {
      guard takeRoom() else { return }
      runs[run] = RunRow(number: run, start: now, end: now)
    }
    guard runs[run]?.loads.insert(event.load).inserted == true, takeRoom() else { return }
    loads[event.load]?.runs.append((run, now, event.isJoined))
  }

  private mutating func addStage(_ kind: ImageEvent.Kind, to run: UInt64, at now: Duration) {
    guard var row = runs[run], takeRoom() else { return }
    runs[run] = nil
    row.end = max(row.end, now)
    switch kind {
    case .loading(let attempt):
      row.endTransfer(at: now, ("result", "unknown"))
      row.transfer = row.stages.count
      let start = max(now, row.lastEnd ?? now)
      row.stages.append(Stage(name: "transfer", start: start, details: [("attempt", String(attempt))]))
    case .loaded(let count, _): row.endTransfer(at: now, ("bytes", String(count)))
    case .notModified: row.endTransfer(at: now, ("result", "not modified"))
    case .retrying(_, let error): row.endTransfer(at: now, ("error", error.code.name))
    case .decoded(let size, let time): row.addFinished("decode", time, at: now, ("size", "\(size)"))
    case .transformed(let key, let time):
      row.addFinished("transform", time, at: now, ("transformer", String(key.prefix { $0 != "(" })))
    case .encoded(let format, let count, let time):
      row.addFinished("encode", time, at: now, ("format", "\(format.mimeType), \(count) bytes"))
    default: if let moment = Self.moment(kind, at: now) { row.moments.append(moment) }
    }
    runs[run] = row
  }

  /// The stage for an event without a duration.
  private static func moment(_ kind: ImageEvent.Kind, at now: Duration) -> Stage? {
    func moment(_ name: String, _ details: (name: String, value: String)...) -> Stage {
      Stage(name: name, start: now, end: now, details: details)
    }
    return switch kind {
    case .cacheHit(let layers): moment("cache hit", ("layers", String(layers.rawValue)))
    case .cacheMiss: moment("cache miss")
    case .claimed(let kind, let result): moment("claim", ("kind", kind.rawValue), ("result", result.rawValue))
    case .response(let head): moment("response", ("status", head.status.map { String($0) } ?? "none"))
    case .stored(_, let layers): moment("stored", ("layers", String(layers.rawValue)))
    case .cacheFailed(let error): moment("cache failed", ("error", error.code.name))
    case .threadLost(let error): moment("thread lost", ("error", error.code.name))
    default: nil
    }
  }

  /// Ends a load, and all runs in which no load takes part any more.
  private mutating func end(_ load: UInt64, _ result: String, at now: Duration) {
    guard loads[load] != nil else { return }
    loads[load]?.end = now
    loads[load]?.result = result
    for part in loads[load]?.runs ?? [] {
      runs[part.number]?.loads.remove(load)
      guard runs[part.number]?.loads.isEmpty == true else { continue }
      // If a transfer does not succeed, it has no final event.
      runs[part.number]?.endTransfer(at: now, ("result", result))
    }
  }
}

extension TraceRecord.RunRow {
  mutating func endTransfer(at now: Duration, _ detail: (name: String, value: String)) {
    guard let index = transfer else { return }
    transfer = nil
    stages[index].end = max(now, stages[index].start)
    stages[index].details.append(detail)
    end = max(end, now)
  }

  /// Adds a stage from the event at its end.
  mutating func addFinished(_ name: String, _ time: Duration, at now: Duration, _ detail: (name: String, value: String))
  {
    let start = now - max(.zero, time)
    let first = max(start, lastEnd ?? start)
    stages.append(TraceRecord.Stage(name: name, start: first, end: max(now, first), details: [detail]))
    self.start = min(self.start, first)
    end = max(end, now)
  }

  /// The end of the last stage.
  ///
  /// The stages of a run follow one another, even if their events come late.
  fileprivate var lastEnd: Duration? { stages.compactMap(\.end).max() }
}
