/// What makes two loads end in the same picture by the same way.
struct PictureKey: Hashable, Sendable {
  let variant: CacheKey
  let query: CacheLayers
  let originalQuery: CacheLayers
  let cache: PluginInstance
  let originalCache: PluginInstance
  let retryPolicy: PluginInstance?
  let serializer: PluginInstance?
  let cachePolicy: CachePolicy
  /// The fields of the request, where what is answered may vary with them.
  let varyingFields: HTTPHeaders
  let limits: Limits
  /// The options that decide which way is taken.
  let options: ImageOptions

  private static let decisive: ImageOptions = [
    .retryFailed, .refreshCached, .fromCacheOnly, .fromLoaderOnly, .requireAnimated,
  ]

  /// A run that was asked for aside, to refresh what was answered already.
  let asksAside: Bool

  init(_ request: ResolvedRequest, asksAside: Bool = false) {
    self.asksAside = asksAside
    variant = request.variantKey
    query = request.layers.query
    originalQuery = request.layers.originalQuery
    cache = request.cacheInstance
    originalCache = request.originalCacheInstance
    retryPolicy = request.retryInstance
    serializer = request.serializerInstance
    cachePolicy = request.cachePolicy
    varyingFields = request.varyingFields
    limits = request.limits
    options = request.options.intersection(Self.decisive)
  }
}
