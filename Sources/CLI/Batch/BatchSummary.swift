/// The totals of a batch.
struct BatchSummary: Hashable, Sendable {
  var written = 0
  var passedOver = 0
  var failed = 0
  var bytesBefore = 0
  var bytesAfter = 0

  var done: Int { written + passedOver + failed }

  mutating func add(_ outcome: BatchOutcome) {
    switch outcome.kind {
    case .written:
      written += 1
      bytesBefore += outcome.bytes.before
      bytesAfter += outcome.bytes.after
    case .passedOver: passedOver += 1
    }
  }

  /// The summary as one line for people.
  func text(in time: Duration, isDryRun: Bool = false) -> String {
    var parts = [Self.files(written) + (isDryRun ? " would be written" : " written")]
    if passedOver > 0 { parts.append("\(passedOver) skipped") }
    if failed > 0 { parts.append("\(failed) failed") }
    let counts = parts.joined(separator: ", ")
    guard !isDryRun else { return counts }
    let sentence = "\(counts), in \(Quantity.duration(time))"
    guard written > 0, bytesBefore > 0 else { return sentence }
    let change = bytesBefore - bytesAfter
    let share = Int((Double(change.magnitude) / Double(bytesBefore) * 100).rounded())
    let verb = change >= 0 ? "saved" : "more"
    return "\(sentence); \(Quantity.bytes(bytesBefore)) became \(Quantity.bytes(bytesAfter)) "
      + "(\(Quantity.bytes(Int(change.magnitude))), \(share) % \(verb))"
  }

  static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }
}
