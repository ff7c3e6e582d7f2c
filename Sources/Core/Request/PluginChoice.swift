/// Picks the plug-ins of a load, the context's before the manager's, and says who they are.
struct PluginChoice {
  let context: ImageContext
  let configuration: ImageManager.Configuration
  let owner: any AnyObject & Sendable

  func required(
    _ own: (any ImageCache)?, _ configured: any ImageCache, at place: String
  ) -> (any ImageCache, PluginInstance) {
    (own ?? configured, instance(own, configured: configured, at: place)!)
  }

  func instance(_ own: (any Sendable)?, configured: (any Sendable)?, at place: String) -> PluginInstance? {
    if let own { return PluginInstance(own) }
    return configured.map { PluginInstance($0, ownedBy: owner, at: place) }
  }

  /// What else than the original decides the bytes.
  func scope(
    of request: ImageRequest, options: ImageOptions, headers: HTTPHeaders, origin: ImageOrigin,
    identityHeaders: [String]
  ) -> CacheScope {
    var scope = ScopeBuilder(identityHeaders: identityHeaders)
    scope.add(method: request.method.uppercased(), body: request.body, headers: headers, options: options)
    scope.add(
      "loader", identity: origin.scope,
      instance: instance(context[.loader], configured: configuration.loader, at: "loader")!)
    if let modifier = context[.requestModifier] ?? configuration.requestModifier {
      scope.add(
        "request", identity: modifier.cacheIdentity,
        instance: instance(context[.requestModifier], configured: modifier, at: "request")!)
    }
    if let modifier = context[.responseModifier] ?? configuration.responseModifier {
      scope.add(
        "response", identity: modifier.cacheIdentity,
        instance: instance(context[.responseModifier], configured: modifier, at: "response")!)
    }
    if let decryptor = context[.decryptor] ?? configuration.decryptor {
      scope.add(
        "decryptor", identity: decryptor.cacheIdentity,
        instance: instance(context[.decryptor], configured: decryptor, at: "decryptor")!)
    }
    for part in context.cacheParts(.bytes) { scope.add("key." + part.name, part.text) }
    return scope.scope
  }
}
