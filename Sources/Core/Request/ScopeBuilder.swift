import FoundationEssentials

/// Collects what else than the original decides the bytes of a load.
struct ScopeBuilder {
  private(set) var scope = CacheScope()

  /// - Parameter headers: those that decide what comes back.
  mutating func add(method: String, body: Data?, headers: HTTPHeaders, options: ImageOptions) {
    if method != "GET" || body != nil {
      add("method", method)
      if let body { add("body", hexadecimal(SHA256.hash(body))) }
    }
    for name in Set(headers.fields.map { HTTPHeaders.folded($0.name) }) {
      // Tokens are not to be read in a key, which is stored.
      add("header." + name, hexadecimal(SHA256.hash(headers[name]!.utf8)))
    }
    if options.contains(.allowInvalidCertificates) { add("certificates", "any") }
    if options.contains(.handleCookies) { add("cookies", "jar") }
  }

  /// Adds a plug-in: an empty identity adds nothing, a missing one stands for this instance only.
  mutating func add(_ name: String, identity: String?, instance: @autoclosure () -> PluginInstance) {
    if let identity {
      if !identity.isEmpty { add(name, identity) }
    } else {
      scope.add(name, instance: instance())
    }
  }

  mutating func add(_ name: String, _ value: String) { scope.add(name, value) }
}
