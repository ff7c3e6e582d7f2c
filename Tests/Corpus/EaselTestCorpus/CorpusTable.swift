import EaselCore

/// Counts the results of coders for the whole corpus.
package struct CorpusTable {
  private struct Row {
    var format: String
    var expectation: CorpusEntry.Expectation
    var count: Int
    var wrong: Set<String>
  }

  private var rows: [Row] = []
  private var findings: [String] = []

  /// Creates an empty table.
  package init() {}

  /// True when every file gave the expected result.
  package var isRight: Bool { findings.isEmpty }

  /// Adds the files of a format; `name` is the first word of the coder's error messages.
  package mutating func add(_ checks: CorpusChecks, named name: String, plays: ((Int?) -> Int)?) {
    var all = checks.pictures() + checks.damagedPictures()
    // The corpus has no AVIF that must be rejected.
    if !checks.entries(.reject, .limit).isEmpty { all += checks.rejectedFiles(named: name) }
    // The corpus has no moving JPEG.
    if !checks.movingEntries.isEmpty { all += checks.movingPictures(plays: plays) }
    if Corpus.isLongRun { all += checks.readFromFiles() + checks.cuts() }
    if Corpus.isLongRun && checks.coder is any ProgressiveImageCoder { all += [1, 7, 4096].flatMap(checks.piecesOf) }
    let wrong = Set(all.map { $0.components(before: ": ") })
    for expectation in [CorpusEntry.Expectation.decode, .lenient, .partial, .any, .reject, .limit] {
      let entries = checks.entries(expectation)
      guard !entries.isEmpty else { continue }
      let paths = Set(entries.map(\.path))
      rows.append(
        Row(
          format: checks.format, expectation: expectation, count: entries.count, wrong: wrong.intersection(paths)))
    }
    findings += all
  }

  /// The table in Markdown, followed by the faults.
  package var text: String {
    let lines = rows.map { row in
      "| \(row.format) | \(row.expectation.rawValue) | \(row.count) | \(row.count - row.wrong.count) | \(row.wrong.count) |"
    }
    let head = ["| format | expected | files | right | wrong |", "|---|---|---|---|---|"]
    return (head + lines + (findings.isEmpty ? [] : [""] + findings)).joined(separator: "\n")
  }
}

extension String {
  fileprivate func components(before separator: String) -> String {
    var start = startIndex
    while start < endIndex, !self[start...].hasPrefix(separator) { start = index(after: start) }
    return String(self[..<start])
  }
}
