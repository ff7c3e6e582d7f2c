import EaselCore

/// Writes the failure of a picture as text for other machines: lines with its code, its status and its message.
package enum FailureCoding {
  private static let longestMessage = 512
  private static let codes: [(name: String, code: ImageError.Code)] = [
    ("badImageData", .badImageData), ("unsupportedFormat", .unsupportedFormat), ("badStatus", .badStatus),
  ]

  /// The text of a failure; nil for an error that other machines might not have.
  package static func text(of error: ImageError, message: String) -> String? {
    guard error.isAboutPicture, let known = codes.first(where: { $0.code == error.code }) else { return nil }
    return "\(known.name)\n\(error.status ?? 0)\n\(message.prefix(longestMessage))"
  }

  /// Reads a failure; returns nil if the text does not describe one.
  package static func error(in text: some StringProtocol, about key: CacheKey) -> ImageError? {
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let known = codes.first(where: { $0.name == lines[0] }), let status = Int(lines[1]) else {
      return nil
    }
    let response = status == 0 ? nil : ResponseHead(status: status, headers: HTTPHeaders())
    return ImageError(known.code, String(lines[2]), subject: key.readable, response: response)
  }
}
