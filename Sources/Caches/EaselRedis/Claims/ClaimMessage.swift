import EaselCore
import EaselRecords

/// The message about the end of a claim, for those who wait: the digest of its key, and its outcome.
package struct ClaimMessage: Sendable {
  enum Ending: Sendable {
    case stored
    case abandoned
    case failed(ImageError)
  }

  /// The name of the claim.
  let claim: String
  let outcome: Ending

  /// The text has these lines: the claim, the outcome, and for a failure its code, its status and its message.
  static func text(_ claim: String, _ result: FlightKey.Result) -> String {
    switch result {
    case .stored: return "\(claim)\nstored"
    case .abandoned: return "\(claim)\nabandoned"
    case .failed(let error):
      // Other processes are told only of failures that they would have themselves.
      let message = error.message.split(separator: "\n").joined(separator: " ")
      return "\(claim)\n" + (FailureCoding.text(of: error, message: message).map { "failed\n\($0)" } ?? "abandoned")
    }
  }

  /// Reads a message; returns nil if the text is not one.
  package init?(_ text: String, about key: CacheKey) {
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count >= 2 else { return nil }
    claim = String(lines[0])
    switch lines[1] {
    case "stored": outcome = .stored
    case "abandoned": outcome = .abandoned
    case "failed":
      guard lines.count == 3, let error = FailureCoding.error(in: lines[2], about: key) else { return nil }
      outcome = .failed(error)
    default: return nil
    }
  }
}
