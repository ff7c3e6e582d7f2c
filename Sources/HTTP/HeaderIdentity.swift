import EaselCore

/// Selects the request header fields that can affect the response, and so are part of the cache key.
///
/// All fields are, except those that only describe what the client can read or already has. The configuration of a
/// manager can change this for any field.
package struct HeaderIdentity {
  private let identities: Set<String>
  private let neutrals: Set<String>

  private init(_ identities: [String], _ neutrals: [String]) {
    self.identities = Set(identities.map(HTTPHeaders.folded))
    self.neutrals = Set(neutrals.map(HTTPHeaders.folded))
  }

  /// Splits the fields into those that are part of the key and those that are not.
  ///
  /// `identities` and `neutrals` are the names that a manager decides about.
  package static func parted(
    _ headers: HTTPHeaders, identities: [String], neutrals: [String]
  ) -> (identity: HTTPHeaders, neutral: HTTPHeaders) {
    headers.isEmpty ? ([:], [:]) : HeaderIdentity(identities, neutrals).parted(headers)
  }

  private func parted(_ headers: HTTPHeaders) -> (identity: HTTPHeaders, neutral: HTTPHeaders) {
    var (identity, neutral) = (HTTPHeaders(), HTTPHeaders())
    for field in headers.fields {
      if isIdentity(HTTPHeaders.folded(field.name)) {
        identity.add(field.name, field.value)
      } else {
        neutral.add(field.name, field.value)
      }
    }
    return (identity, neutral)
  }

  private func isIdentity(_ name: String) -> Bool {
    if identities.contains(name) { return true }
    return !neutrals.contains(name) && !Self.usualNeutrals.contains(name) && !name.hasPrefix("accept-")
      && !name.hasPrefix("if-")
  }

  private static let usualNeutrals: Set<String> = [
    "accept", "cache-control", "pragma", "range", "referer", "user-agent",
  ]
}
