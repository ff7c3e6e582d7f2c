/// The figures of a server as lines on a terminal.
struct StatsView {
  let address: String
  let figures: ServerFigures
  /// The requests per second of the last minute, oldest first.
  var history: [Double] = []
  /// The seconds since the last contact with the server; nil while the server answers.
  var secondsLost: Int?
  /// The server's clock, in seconds since 1970.
  var date: Double?

  /// The lines; they are no wider than the terminal, and no more than its rows.
  func lines(columns: Int, rows: Int) -> [String] {
    let all = [heading, ""] + requests + cache + times + process
    return all.prefix(max(1, rows)).map { TextWidth.cut($0, to: max(1, columns)) }
  }

  /// The most important figures, in one line.
  static func line(_ figures: ServerFigures) -> String {
    var parts = ["\(count(figures.now.sum("easel_requests_total"))) requests"]
    if let rate = figures.rate("easel_requests_total") { parts.append(self.rate(rate)) }
    parts.append("\(count(figures.now.sum("easel_in_flight", ["stage": "total"]))) in flight")
    if let share = figures.hitShare("memory") { parts.append("\(Quantity.decimals(share * 100, 0)) % from memory") }
    let times = figures.times("total")
    if times.count > 0 { parts.append("p50 \(time(times.median)), p99 \(time(times.p99))") }
    if let rate = figures.rate("easel_result_bytes_total") { parts.append("\(Quantity.bytes(.bounded(rate)))/s") }
    if let bytes = figures.now.value("process_resident_memory_bytes") { parts.append(Quantity.bytes(.bounded(bytes))) }
    return parts.joined(separator: ", ")
  }

  private var heading: String {
    var parts = ["easel serve at \(address)"]
    if let version = figures.now.label("version", of: "easel_build_info") {
      parts.append("version \(printable(version))")
    }
    if let start = figures.now.value("process_start_time_seconds"), let date, start > 0, date > start {
      parts.append("up \(Quantity.duration(.seconds(date - start)))")
    }
    if let secondsLost { parts.append("NOT REACHED for \(secondsLost) s") }
    return parts.joined(separator: ", ")
  }

  private var requests: [String] {
    let inFlight = figures.now.sum("easel_in_flight", ["stage": "total"])
    let queued = figures.now.sum("easel_in_flight", ["stage": "queue"])
    var lines = [
      row(
        "requests", Self.rate(figures.rate("easel_requests_total")),
        "\(Self.count(figures.now.sum("easel_requests_total"))) in all", "\(Self.count(inFlight)) in flight",
        "\(Self.count(queued)) waiting")
    ]
    if history.count > 1 { lines.append(row("", Self.spark(history))) }
    let statuses = figures.statuses.map { "\(printable($0.status)): \(Self.count($0.count))" }
    lines.append(row("answers", statuses.isEmpty ? "none" : statuses.joined(separator: "  ")))
    let refused = figures.now.sum("easel_rejected_total")
    if refused > 0 { lines.append(row("refused", Self.count(refused))) }
    return lines
  }

  private var cache: [String] {
    let shares = ServerFigures.layers.map { layer in
      "\(layer) \(figures.hitShare(layer).map { "\(Quantity.decimals($0 * 100, 1)) %" } ?? "-")"
    }
    return [row("hits", shares.joined(separator: "  "))]
  }

  private var times: [String] {
    let head = "time".padded(12) + "p50".padded(10) + "p99".padded(10) + "requests"
    return ["", head]
      + ServerFigures.stages.map { stage in
        let times = figures.times(stage)
        return "  \(stage)".padded(12) + Self.time(times.median).padded(10) + Self.time(times.p99).padded(10)
          + Self.count(times.count)
      } + [""]
  }

  private var process: [String] {
    var facts: [String] = []
    if let bytes = figures.now.value("process_resident_memory_bytes") { facts.append(Quantity.bytes(.bounded(bytes))) }
    if let share = figures.processorShare { facts.append("\(Quantity.decimals(share * 100, 0)) % of a processor") }
    if let open = figures.now.value("process_open_fds") { facts.append("\(Self.count(open)) open files") }
    let traffic = [("sent", "easel_result_bytes_total"), ("loaded", "easel_source_bytes_total")].map { name, metric in
      figures.rate(metric).map { "\(name) \(Quantity.bytes(.bounded($0)))/s" }
        ?? "\(name) \(Quantity.bytes(.bounded(figures.now.sum(metric))))"
    }
    return [row("memory", facts.joined(separator: ", ")), row("traffic", traffic.joined(separator: ", "))]
  }

  private func row(_ name: String, _ facts: String...) -> String {
    name.padded(12) + facts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func rate(_ value: Double?) -> String { value.map { "\(Quantity.decimals($0, 1))/s" } ?? "" }

  private static func time(_ seconds: Double?) -> String {
    guard let seconds, (0..<1e9).contains(seconds) else { return "-" }
    return Quantity.duration(.seconds(seconds))
  }

  private static func count(_ value: Double) -> String { Quantity.decimals(value, 0) }

  /// A row of bars; the highest bar shows the largest value.
  static func spark(_ values: [Double]) -> String {
    let bars = Array("▁▂▃▄▅▆▇█")
    let most = values.max() ?? 0
    return String(values.map { most > 0 ? bars[Int.bounded(min(max(0, $0 / most * 7.999), 7))] : bars[0] })
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { TextWidth.padded(self, to: width) }
}
