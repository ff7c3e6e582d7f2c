/// A report as a readable table.
package enum MarkdownTable {
  package static func render(_ report: Report) -> String {
    var lines = [
      report.machine.description, "",
      "| group | case | Easel | against | takes | ratio | bar | allocations | locks | peak memory |",
      "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += report.results.map(row)
    let failed = report.failed ?? [:]
    if !report.skipped.isEmpty || !failed.isEmpty { lines.append("") }
    lines += report.skipped.sorted { $0.key < $1.key }.map { "Skipped: \($0.key): \($0.value)" }
    lines += failed.sorted { $0.key < $1.key }.map { "FAILED: \($0.key): \($0.value)" }
    return lines.joined(separator: "\n")
  }

  static func row(_ result: CaseResult) -> String {
    let cells = [
      result.group,
      result.name,
      Figure.time(result.subject.seconds),
      result.baselineName,
      Figure.time(result.baseline.seconds),
      Figure.fixed(result.ratio, places: 2),
      bar(result),
      pair(result.subject.allocations, result.baseline.allocations, Figure.short),
      pair(result.subject.locks, result.baseline.locks, Figure.short),
      pair(result.subject.peakBytes, result.baseline.peakBytes) { "\(Figure.short(Double($0) / 1_048_576)) MiB" },
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  /// One line of progress output.
  package static func summary(_ result: CaseResult) -> String {
    let memory = pair(result.subject.peakBytes, result.baseline.peakBytes) {
      "\(Figure.short(Double($0) / 1_048_576)) MiB"
    }
    return """
      ratio \(Figure.fixed(result.ratio, places: 2)), \(Figure.time(result.subject.seconds.median)) against \
      \(Figure.time(result.baseline.seconds.median)), memory \(memory) \(bar(result))
      """
  }

  private static func bar(_ result: CaseResult) -> String {
    var cells: [String] = []
    if let bar = result.bar {
      cells.append("\(verdict(result.meetsTimeBar)) (at most \(Figure.fixed(bar, places: 2)))")
    }
    if let bar = result.memoryBar {
      let ratio = result.memoryRatio.map { Figure.fixed($0, places: 2) } ?? "unknown"
      cells.append("memory \(ratio): \(verdict(result.meetsMemoryBar)) (at most \(Figure.fixed(bar, places: 2)))")
    }
    return cells.joined(separator: ", ")
  }

  private static func verdict(_ isMet: Bool) -> String { isMet ? "met" : "MISSED" }

  private static func pair<Value>(_ subject: Value?, _ baseline: Value?, _ text: (Value) -> String) -> String {
    guard let subject, let baseline else { return "" }
    return "\(text(subject)) / \(text(baseline))"
  }
}
