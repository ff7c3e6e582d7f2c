import EaselCore

/// A question to a cache.
struct Question: Sendable {
  let key: CacheKey
  let cache: any ImageCache
  let instance: PluginInstance
  var layers: CacheLayers
  /// False for what only one run needs; a run of its own would cost the lookup as much again.
  var isShared = true

  /// The question for the result of a request.
  static func result(of request: ResolvedRequest) -> Question {
    let layers = request.form == nil ? request.layers.query : request.layers.encodedQuery
    return Question(
      key: request.resultKey, cache: request.cache, instance: request.cacheInstance, layers: layers,
      isShared: request.form == nil)
  }

  /// The question for the original that a result is made from.
  static func original(of request: ResolvedRequest) -> Question {
    Question(
      key: request.originalKey, cache: request.originalCache, instance: request.originalCacheInstance,
      layers: request.layers.queryOfBytes)
  }
}
