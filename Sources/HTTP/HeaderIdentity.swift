import EaselCore

/// Selects the request header fields that can affect the response, and are therefore part of the cache key.
///
/// All fields are part of it, except those that only tell what the client accepts or already has. The configuration of
/// a manager can change this for any field.
package struct HeaderIdentity {
  private let identities: Set<String>
  private let neutrals: Set<String>

  private init(_ identities: [String], _ neutrals: [String]) {
    self.identities = Set(identities.map(HTTPHeaders.folded))
    self.neutrals = Set(neutrals.map(HTTPHeaders.folded))
  }

  /// Separates the fields that are part of the key from the other fields.
  ///
  /// `identities` and `neutrals` are the names for which the manager decides this.
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
