/// Selects the request header fields that can affect the response, and so are part of the cache key.
///
/// All fields are, except those that only describe what the client can read or already has. The configuration of a
/// manager can change this for any field.
struct HeaderIdentity {
  private let identities: Set<String>
  private let neutrals: Set<String>

  init(_ configuration: ImageManager.Configuration) {
    identities = Set(configuration.identityHeaders.map(HTTPHeaders.folded))
    neutrals = Set(configuration.neutralHeaders.map(HTTPHeaders.folded))
  }

  /// Splits the fields into those that are part of the key and those that are not.
  func parted(_ headers: HTTPHeaders) -> (identity: HTTPHeaders, neutral: HTTPHeaders) {
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
