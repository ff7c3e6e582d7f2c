import FoundationEssentials

/// What a request means: made once from the request, the manager's configuration and the options processor.
///
/// Keys, decode options, layers and plug-ins are read from here and from nowhere else, so that what is done and what
/// it is called cannot drift apart.
package final class ResolvedRequest: Sendable {
  /// What it was made for, kept alive so that no other can be born at its address and be taken for it.
  let owner: any AnyObject & Sendable

  package let url: URL
  package let method: String
  package let body: Data?
  package let headers: HTTPHeaders
  package let options: ImageOptions
  package let context: ImageContext
  package let priority: LoadPriority

  package let loader: any ImageLoader
  package let coder: any ImageCoder
  package let cache: any ImageCache
  package let originalCache: any ImageCache
  package let requestModifier: (any RequestModifier)?
  package let responseModifier: (any ResponseModifier)?
  package let decryptor: (any Decryptor)?
  package let cacheSerializer: (any CacheSerializer)?
  package let retryPolicy: (any RetryPolicy)?
  package let observer: (any ImageObserver)?

  package let transformer: TransformerPipeline
  package let decodeOptions: DecodeOptions
  package let limits: Limits
  package let cachePolicy: CachePolicy

  /// Names the bytes; also what running loads are shared by.
  package let originalKey: CacheKey
  /// Names the pixels; equal to the original's where nothing is done to them.
  package let variantKey: CacheKey
  /// Whether anything of it may be looked up or stored: not when the filter gave it no name.
  package let isCacheable: Bool
  package let layers: LayerPlan

  init(_ request: ImageRequest, url: URL, configuration: ImageManager.Configuration, owner: any AnyObject & Sendable) {
    var options = request.options
    var context = request.context
    configuration.optionsProcessor?.process(url, options: &options, context: &context)

    self.owner = owner
    self.url = url
    self.options = options
    self.context = context
    method = request.method.uppercased()
    body = request.body
    headers = context[.headers] ?? [:]
    priority = Self.priority(request.priority, options)

    loader = context[.loader] ?? configuration.loader
    cache = context[.cache] ?? configuration.cache
    originalCache = context[.originalCache] ?? configuration.originalCache ?? cache
    requestModifier = context[.requestModifier] ?? configuration.requestModifier
    responseModifier = context[.responseModifier] ?? configuration.responseModifier
    decryptor = context[.decryptor] ?? configuration.decryptor
    cacheSerializer = context[.cacheSerializer] ?? configuration.cacheSerializer
    retryPolicy = context[.retryPolicy] ?? configuration.retryPolicy
    observer = context[.observer] ?? configuration.observer
    limits = context[.limits] ?? configuration.limits
    cachePolicy = context[.cachePolicy] ?? configuration.cachePolicy
    transformer = context[.transformer] ?? configuration.transformer
    decodeOptions = Self.decodeOptions(options, context, configuration)

    let hinted = decodeOptions.typeHint.flatMap { configuration.coder.coder(decoding: $0) }
    let namedCoder = context[.coder] ?? hinted
    coder = namedCoder ?? configuration.coder

    let origin = loader.origin(of: url)
    let filter = context[.cacheKeyFilter] ?? configuration.cacheKeyFilter
    let name = filter.map { $0.original(for: url) } ?? origin.key
    isCacheable = name != nil

    var scope = ScopeBuilder(identityHeaders: configuration.identityHeaders)
    scope.add(method: method, body: body, headers: headers, options: options)
    scope.add("loader", loader, identity: origin.scope)
    if let requestModifier { scope.add("request", requestModifier, identity: requestModifier.cacheIdentity) }
    if let responseModifier { scope.add("response", responseModifier, identity: responseModifier.cacheIdentity) }
    if let decryptor { scope.add("decryptor", decryptor, identity: decryptor.cacheIdentity) }
    for part in context.cacheParts(.bytes) { scope.add("key." + part.name, part.text) }

    originalKey = CacheKey(original: name ?? origin.key, scope: scope.scope)
    let suffixes = KeySuffix.all(
      of: transformer, decodeOptions: decodeOptions, options: options, namedCoder: namedCoder, context: context)
    variantKey =
      suffixes.isEmpty
      ? originalKey : CacheKey(original: originalKey.original, scope: originalKey.scope, suffixes: suffixes)
    layers = LayerPlan(
      options: options, context: context, isVariant: !suffixes.isEmpty, isCacheable: isCacheable,
      isStorable: originalKey.isStorable, diskUse: origin.diskUse)
  }

  /// Whether something is done to the pixels.
  package var isVariant: Bool { variantKey.isVariant }

  private static func priority(_ stated: LoadPriority, _ options: ImageOptions) -> LoadPriority {
    if options.contains(.highPriority) { return .high }
    return options.contains(.lowPriority) ? .low : stated
  }

  private static func decodeOptions(
    _ options: ImageOptions, _ context: ImageContext, _ configuration: ImageManager.Configuration
  ) -> DecodeOptions {
    var result = context[.decodeOptions] ?? DecodeOptions()
    if let size = context[.thumbnailSize] { result.thumbnailSize = size }
    if let preserves = context[.preserveAspectRatio] { result.preservesAspectRatio = preserves }
    if let hint = context[.typeHint] { result.typeHint = hint }
    if options.contains(.scaleDownLarge) || result.scaleDownLimitBytes != nil {
      result.scaleDownLimitBytes =
        context[.scaleDownLimitBytes] ?? result.scaleDownLimitBytes ?? configuration.scaleDownLimitBytes
    }
    // A box with a zero side asks for the full size, and must not be called something else.
    if let box = result.thumbnailSize, box.isEmpty { result.thumbnailSize = nil }
    return result
  }
}
