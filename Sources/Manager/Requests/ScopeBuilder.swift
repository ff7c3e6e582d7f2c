import EaselCore
import EaselSupport
import FoundationEssentials

/// Collects everything besides the original that affects the bytes of a load.
struct ScopeBuilder {
  private(set) var scope = CacheKey.Scope()

  /// - Parameter headers: the fields that affect the response.
  mutating func add(method: String, body: Data?, headers: HTTPHeaders, options: ImageOptions) {
    if method != "GET" || body != nil {
      add("method", method)
      if let body { add("body", hexadecimal(SHA256.hash(body))) }
    }
    for name in Set(headers.fields.map { HTTPHeaders.folded($0.name) }) {
      // The values are hashed, because keys are stored, and nobody may read tokens in them.
      add("header." + name, hexadecimal(SHA256.hash(headers[name]!.utf8)))
    }
    if options.contains(.allowInvalidCertificates) { add("certificates", "any") }
    if options.contains(.handleCookies) { add("cookies", "jar") }
  }

  /// Adds a plug-in.
  mutating func add(_ name: String, identity: CacheIdentity, instance: @autoclosure () -> PluginInstance) {
    switch identity {
    case .plain: break
    case .named(let value): add(name, value)
    case .instance: scope.add(name, instance: instance())
    }
  }

  mutating func add(_ name: String, _ value: String) { scope.add(name, value) }
}

/// Chooses and identifies the plug-ins of a load; those of the context come first.
struct PluginChoice {
  let context: ImageContext
  let configuration: ImageManager.Configuration
  let owner: any AnyObject & Sendable

  /// The cache that the context sets under a key, or else the manager's cache.
  func cache(
    _ key: ContextKey<any ImageCache>, _ configured: any ImageCache, at place: String
  ) -> (any ImageCache, PluginInstance) {
    (context[key] ?? configured, instance(key, configured: configured, at: place)!)
  }

  func instance<Plugin: Sendable>(
    _ key: ContextKey<Plugin>, configured: (any Sendable)?, at place: String
  ) -> PluginInstance? {
    if let own = context[key], let holder = context.holder(of: key) { return PluginInstance(own, heldBy: holder) }
    let value = configuration.values.isEmpty ? nil : configuration.values[place]
    return configured.map { PluginInstance($0, value: value, ownedBy: owner, at: place) }
  }

  /// Everything besides the original that affects the bytes.
  func scope(
    of request: ImageRequest, options: ImageOptions, headers: HTTPHeaders, origin: ImageOrigin, _ bytes: SuppliedBytes?
  ) -> CacheKey.Scope {
    var scope = ScopeBuilder()
    scope.add(method: request.method.uppercased(), body: request.body, headers: headers, options: options)
    scope.add(
      "loader", identity: origin.cacheIdentity,
      instance: bytes.map { PluginInstance($0, heldBy: $0) }
        ?? instance(.loader, configured: configuration.loader, at: "loader")!)
    if let modifier = context[.requestModifier] ?? configuration.requestModifier {
      scope.add(
        "request", identity: modifier.cacheIdentity,
        instance: instance(.requestModifier, configured: modifier, at: "request")!)
    }
    if let modifier = context[.responseModifier] ?? configuration.responseModifier {
      scope.add(
        "response", identity: modifier.cacheIdentity,
        instance: instance(.responseModifier, configured: modifier, at: "response")!)
    }
    if let decryptor = context[.decryptor] ?? configuration.decryptor {
      scope.add(
        "decryptor", identity: decryptor.cacheIdentity,
        instance: instance(.decryptor, configured: decryptor, at: "decryptor")!)
    }
    for part in context.cacheParts(.bytes) { scope.add("key." + part.name, part.text) }
    return scope.scope
  }
}
