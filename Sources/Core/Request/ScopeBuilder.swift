import FoundationEssentials

/// Collects everything besides the original that affects the bytes of a load.
struct ScopeBuilder {
  private(set) var scope = CacheScope()

  /// - Parameter headers: the fields that affect the response.
  mutating func add(method: String, body: Data?, headers: HTTPHeaders, options: ImageOptions) {
    if method != "GET" || body != nil {
      add("method", method)
      if let body { add("body", hexadecimal(SHA256.hash(body))) }
    }
    for name in Set(headers.fields.map { HTTPHeaders.folded($0.name) }) {
      // Values are hashed, because keys are stored and tokens must not be readable in them.
      add("header." + name, hexadecimal(SHA256.hash(headers[name]!.utf8)))
    }
    if options.contains(.allowInvalidCertificates) { add("certificates", "any") }
    if options.contains(.handleCookies) { add("cookies", "jar") }
  }

  /// Adds a plug-in.
  ///
  /// An empty identity adds nothing, and a missing one stands for this instance only.
  mutating func add(_ name: String, identity: String?, instance: @autoclosure () -> PluginInstance) {
    if let identity {
      if !identity.isEmpty { add(name, identity) }
    } else {
      scope.add(name, instance: instance())
    }
  }

  mutating func add(_ name: String, _ value: String) { scope.add(name, value) }
}
