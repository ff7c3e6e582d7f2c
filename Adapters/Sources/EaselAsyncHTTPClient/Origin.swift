import FoundationEssentials

/// The scheme, the host and the port of a URL, between which secrets stay.
struct Origin: Hashable {
  let scheme: String
  let host: String
  let port: Int

  /// The origin of a http or https URL; nil for all others.
  init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
