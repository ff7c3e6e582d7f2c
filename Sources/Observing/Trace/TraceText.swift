import EaselCore

/// Writes a trace in Chrome's trace event format.
struct TraceText {
  private(set) var text = ""
  private let record: TraceRecord
  private let now: Duration
  /// The number of the last arrow; Perfetto shows only arrows whose names are integers.
  private var arrows = 0

  // Loads and runs are two processes, so that viewers show them in two groups.
  private static let loads = 1
  private static let runs = 2

  init(_ record: TraceRecord, now: Duration) {
    self.record = record
    self.now = now
    text = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"dropped\":\"\(record.dropped)\"},\"traceEvents\":[\n"
    name("process_name", Self.loads, 0, "Loads", isFirst: true)
    name("process_name", Self.runs, 0, "Shared work")
    for load in record.loads.values.sorted(by: { $0.number < $1.number }) { write(load) }
    for run in record.runs.values.sorted(by: { $0.number < $1.number }) { write(run) }
    text += "\n]}\n"
  }

  private mutating func write(_ load: TraceRecord.LoadRow) {
    let end = load.end ?? max(now, load.start)
    name("thread_name", Self.loads, load.number, "load \(load.number)")
    slice("load", Self.loads, load.number, load.start, end, [("url", load.url), ("result", load.result)], least: 1)
    for moment in load.moments { instant(moment, Self.loads, load.number) }
    for part in load.runs {
      guard let run = record.runs[part.number] else { continue }
      let bounds = bounds(of: run)
      // A load gets an event later than it happens. Viewers omit an arrow that ends before it begins, or that begins or
      // ends outside its slice.
      let arrival = microsecond(at: part.time, within: bounds)
      let departure = min(microsecond(at: part.time, within: (load.start, end)), arrival)
      guard departure >= microseconds(load.start) else { continue }
      arrows += 1
      let kind = part.isJoined ? "joins" : "starts"
      flow("s", kind, arrows, Self.loads, load.number, departure)
      flow("f", kind, arrows, Self.runs, part.number, arrival)
    }
  }

  private mutating func write(_ run: TraceRecord.RunRow) {
    let (start, end) = bounds(of: run)
    name("thread_name", Self.runs, run.number, "run \(run.number)")
    slice("run", Self.runs, run.number, start, end, [], least: 1)
    for stage in run.stages {
      slice(stage.name, Self.runs, run.number, stage.start, min(stage.end ?? end, end), stage.details)
    }
    for moment in run.moments { instant(moment, Self.runs, run.number) }
  }

  private func bounds(of run: TraceRecord.RunRow) -> (start: Duration, end: Duration) {
    let ends = run.stages.map { $0.end ?? max(now, $0.start) }
    return (run.start, ends.reduce(run.end, max))
  }

  // MARK: Events

  private mutating func name(_ kind: String, _ process: Int, _ row: UInt64, _ name: String, isFirst: Bool = false) {
    if !isFirst { text += ",\n" }
    text +=
      "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":\(process),\"tid\":\(row),\"args\":{\"name\":\(Self.quoted(name))}}"
  }

  /// Writes a slice; one that is the target of arrows lasts at least a microsecond.
  private mutating func slice(
    _ name: String, _ process: Int, _ row: UInt64, _ start: Duration, _ end: Duration,
    _ details: [(name: String, value: String)], least: Int = 0
  ) {
    let from = microseconds(start)
    text += ",\n{\"ph\":\"X\",\"name\":\(Self.quoted(name)),\"pid\":\(process),\"tid\":\(row),\"ts\":\(from)"
    text += ",\"dur\":\(max(least, microseconds(end) - from)),\"args\":\(Self.object(details))}"
  }

  private mutating func instant(_ moment: TraceRecord.Stage, _ process: Int, _ row: UInt64) {
    text += ",\n{\"ph\":\"i\",\"s\":\"t\",\"name\":\(Self.quoted(moment.name)),\"pid\":\(process),\"tid\":\(row)"
    text += ",\"ts\":\(microseconds(moment.start)),\"args\":\(Self.object(moment.details))}"
  }

  private mutating func flow(
    _ phase: String, _ name: String, _ id: Int, _ process: Int, _ row: UInt64, _ time: Int
  ) {
    text += ",\n{\"ph\":\"\(phase)\",\"name\":\"\(name)\",\"cat\":\"sharing\",\"id\":\(id),\"pid\":\(process)"
    text += ",\"tid\":\(row),\"ts\":\(time)\(phase == "f" ? ",\"bp\":\"e\"" : "")}"
  }

  /// The microseconds since the trace began, rounded down, so that a stage never ends after its run.
  private func microseconds(_ time: Duration) -> Int {
    Int(min(max(-1e15, ((time - record.origin) / .microseconds(1)).rounded(.down)), 1e15))
  }

  /// Returns the microsecond inside a slice that is closest to a time.
  private func microsecond(at time: Duration, within slice: (start: Duration, end: Duration)) -> Int {
    max(microseconds(slice.start), min(microseconds(time), microseconds(slice.end) - 1))
  }

  private static func object(_ details: [(name: String, value: String)]) -> String {
    "{" + details.map { "\(quoted($0.name)):\(quoted($0.value))" }.joined(separator: ",") + "}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
