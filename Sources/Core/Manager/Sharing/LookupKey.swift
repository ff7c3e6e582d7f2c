/// What makes two questions to a cache the same.
struct LookupKey: Hashable, Sendable {
  let key: CacheKey
  let layers: CacheLayers
  let cache: PluginInstance
}
