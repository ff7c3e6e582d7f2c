import FoundationEssentials

/// The results of one run, and its machine.
package struct Report: Codable, Equatable, Sendable {
  package var machine: Machine
  package var results: [CaseResult]
  /// The titles of cases that could not run, with the reasons.
  package var skipped: [String: String]
  /// The titles of cases that broke off, with the reasons; nil if there are none.
  package var failed: [String: String]?

  package init(machine: Machine, results: [CaseResult], skipped: [String: String]) {
    self.machine = machine
    self.results = results
    self.skipped = skipped
  }

  /// The results of only these cases.
  package func only(_ cases: [BenchmarkCase]) -> Report {
    let titles = Set(cases.map(\.title))
    var report = self
    report.results.removeAll { !titles.contains($0.title) }
    return report
  }

  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self)
  }

  package init(json: Data) throws {
    self = try JSONDecoder().decode(Report.self, from: json)
  }
}
