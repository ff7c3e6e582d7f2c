/// A comparison as a readable table.
package enum ComparisonTable {
  package static func render(_ comparison: Comparison) -> String {
    var lines = ["| case | ratio before | now | change | more than noise | |", "|---|---|---|---|---|---|"]
    lines += comparison.rows.map { row in
      let cells = [
        row.title, Figure.fixed(row.before, places: 2), Figure.fixed(row.now, places: 2), percent(row.change - 1),
        "beyond \(percent(row.tolerance))", row.verdict == .slower ? "SLOWER" : row.verdict.rawValue,
      ]
      return "| \(cells.joined(separator: " | ")) |"
    }
    lines.append("")
    if !comparison.isOfOneMachine {
      lines.append("The runs are of different machines: ratios to the network or the disk may differ for that reason.")
    }
    lines += comparison.added.map { "Not measured before: \($0)" }
    lines += comparison.missing.map { "Not measured now: \($0)" }
    lines.append("\(comparison.slower.count) of \(comparison.rows.count) cases are slower than before.")
    return lines.joined(separator: "\n")
  }

  private static func percent(_ share: Double) -> String {
    "\(share < 0 ? "-" : "+")\(Figure.fixed(abs(share) * 100, places: 0)) %"
  }
}
