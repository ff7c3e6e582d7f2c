/// A report as a table that people read.
package enum MarkdownTable {
  package static func render(_ report: Report) -> String {
    var lines = [
      report.machine.description, "",
      "| group | case | Easel | against | takes | ratio | bar | allocations | peak memory |",
      "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += report.results.map(row)
    if !report.skipped.isEmpty { lines.append("") }
    lines += report.skipped.sorted { $0.key < $1.key }.map { "Skipped: \($0.key): \($0.value)" }
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
      pair(result.subject.peakBytes, result.baseline.peakBytes) { "\(Figure.short(Double($0) / 1_048_576)) MiB" },
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private static func bar(_ result: CaseResult) -> String {
    guard let bar = result.bar else { return "" }
    return "\(result.meetsBar ? "met" : "MISSED") (at most \(Figure.fixed(bar, places: 2)))"
  }

  private static func pair<Value>(_ subject: Value?, _ baseline: Value?, _ text: (Value) -> String) -> String {
    guard let subject, let baseline else { return "" }
    return "\(text(subject)) / \(text(baseline))"
  }
}
