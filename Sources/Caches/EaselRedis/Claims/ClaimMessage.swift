import EaselCore

/// The end of a claim, as it is told to those who wait: the digest of its key, and its outcome.
package struct ClaimMessage: Sendable {
  enum Outcome: Sendable {
    case stored
    case abandoned
    case failed(ImageError)
  }

  /// The name of the claim.
  let claim: String
  let outcome: Outcome

  private static let longestMessage = 512
  private static let codes: [(name: String, code: ImageError.Code)] = [
    ("badImageData", .badImageData), ("unsupportedFormat", .unsupportedFormat), ("badStatus", .badStatus),
  ]

  /// Lines: the claim, the outcome, and for a failure its code, its status and its message.
  static func text(_ claim: String, _ result: FlightResult) -> String {
    switch result {
    case .stored: return "\(claim)\nstored"
    case .abandoned: return "\(claim)\nabandoned"
    case .failed(let error):
      // Others hear only of what they would find themselves.
      guard error.isAboutPicture, let known = codes.first(where: { $0.code == error.code }) else {
        return "\(claim)\nabandoned"
      }
      let message = error.message.split(separator: "\n").joined(separator: " ").prefix(longestMessage)
      return "\(claim)\nfailed\n\(known.name)\n\(error.status ?? 0)\n\(message)"
    }
  }

  /// Reads a message; nil if it is none.
  package init?(_ text: String, about key: CacheKey) {
    let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false)
    guard lines.count >= 2 else { return nil }
    claim = String(lines[0])
    switch lines[1] {
    case "stored": outcome = .stored
    case "abandoned": outcome = .abandoned
    case "failed":
      guard lines.count == 5, let known = Self.codes.first(where: { $0.name == lines[2] }), let status = Int(lines[3])
      else { return nil }
      let response = status == 0 ? nil : ResponseHead(status: status, headers: HTTPHeaders())
      outcome = .failed(
        ImageError(known.code, String(lines[4]), subject: key.readable, response: response))
    default: return nil
    }
  }
}
