import EaselCore
import FoundationEssentials

/// The shared credentials file of Amazon's tools, which has sections with lines such as `key = value`.
package enum CredentialsFile {
  /// The credentials of a section; nil if the file has no such section.
  package static func credentials(in text: String, profile: String) -> S3Credentials? {
    var section = ""
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        section = trimmed(line[line.index(after: line.startIndex)..<end])
        continue
      }
      guard section == profile, let sign = line.firstIndex(of: "=") else { continue }
      values[trimmed(line[..<sign]).lowercased()] = trimmed(line[line.index(after: sign)...])
    }
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else { return nil }
    return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
  }
}
