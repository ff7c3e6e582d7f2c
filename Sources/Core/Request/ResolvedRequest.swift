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
  /// Whether asking changes nothing on the server, so that one answer may serve many.
  let isSafe: Bool
  package let body: Data?
  package let headers: HTTPHeaders
  /// Those of the fields that are no part of the key.
  let neutralHeaders: HTTPHeaders
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
  /// The transformers as they are run: neighbours merged where they can share their work.
  let steps: [any Transformer]
  package let decodeOptions: DecodeOptions
  package let limits: Limits
  package let cachePolicy: CachePolicy

  /// Names the bytes; also what running loads are shared by.
  package let originalKey: CacheKey
  /// Whether the same request means the same whenever it is asked.
  let isLasting: Bool
  /// Names the pixels; equal to the original's where nothing is done to them.
  package let variantKey: CacheKey
  /// Whether anything of it may be looked up or stored: not when the filter gave it no name, not for a part, and not
  /// for a method that does more than read.
  package let isCacheable: Bool
  package let layers: LayerPlan
  /// Whether what comes of the URL follows from the manager's settings alone, so that a failure may be remembered.
  let usesOwnSettings: Bool

  /// The coder that the context chose, nil for the manager's.
  let coderName: String?
  let cacheInstance: PluginInstance
  let originalCacheInstance: PluginInstance
  let retryInstance: PluginInstance?
  let serializerInstance: PluginInstance?

  init(
    _ request: ImageRequest, url: URL, configuration: ImageManager.Configuration, owner: any AnyObject & Sendable
  ) {
    var options = request.options
    var context = request.context
    configuration.optionsProcessor?.process(url, options: &options, context: &context)
    // What the manager does to requests and responses is not meant for bytes that the caller had already.
    let configuration = context[.loader] is BytesLoader ? configuration.withoutTransferHooks : configuration
    let choice = PluginChoice(context: context, configuration: configuration, owner: owner)

    self.owner = owner
    self.url = url
    self.options = options
    self.context = context
    method = request.method.uppercased()
    isSafe = Self.isSafe(method)
    body = request.body
    headers = context[.headers] ?? [:]
    let fields =
      headers.isEmpty
      ? (identity: HTTPHeaders(), neutral: HTTPHeaders()) : HeaderIdentity(configuration).parted(headers)
    neutralHeaders = fields.neutral
    priority = options.priority ?? request.priority
    limits = context[.limits] ?? configuration.limits
    cachePolicy = context[.cachePolicy] ?? configuration.cachePolicy
    transformer = context[.transformer] ?? configuration.transformer
    steps = transformer.merged.members
    var decodeOptions = Self.decodeOptions(options, context, configuration)
    usesOwnSettings = fields.neutral.isEmpty && Self.usesOwnSettings(context)

    let hinted = decodeOptions.typeHint.flatMap { configuration.coder.coder(decoding: $0) }
    // A hint that finds no coder changes nothing, and must not keep apart what is the same.
    if hinted == nil, context[.coder] == nil { decodeOptions.typeHint = nil }
    self.decodeOptions = decodeOptions
    let namedCoder = context[.coder] ?? hinted
    coder = namedCoder ?? configuration.coder
    coderName = namedCoder?.identifier
    loader = context[.loader] ?? configuration.loader
    (cache, cacheInstance) = choice.cache(.cache, configuration.cache, at: "cache")
    let ownOriginals = configuration.originalCache ?? configuration.cache
    let place = configuration.originalCache == nil ? "cache" : "originalCache"
    let hasCacheAlone = context[.originalCache] == nil && context[.cache] != nil
    let originals: ContextKey<any ImageCache> = hasCacheAlone ? .cache : .originalCache
    (originalCache, originalCacheInstance) = choice.cache(originals, ownOriginals, at: place)
    requestModifier = context[.requestModifier] ?? configuration.requestModifier
    responseModifier = context[.responseModifier] ?? configuration.responseModifier
    decryptor = context[.decryptor] ?? configuration.decryptor
    cacheSerializer = context[.cacheSerializer] ?? configuration.cacheSerializer
    retryPolicy = context[.retryPolicy] ?? configuration.retryPolicy
    let usualObserver = context[.observer] ?? configuration.observer
    observer = ObserverPair.joining(usualObserver, context[.additionalObserver])
    retryInstance = choice.instance(.retryPolicy, configured: configuration.retryPolicy, at: "retry")
    serializerInstance = choice.instance(
      .cacheSerializer, configured: configuration.cacheSerializer, at: "serializer")

    let origin = loader.origin(of: url)
    isLasting = origin.isLasting
    let filter = context[.cacheKeyFilter] ?? configuration.cacheKeyFilter
    let name = filter.map { $0.original(for: url) } ?? origin.key
    // What comes of a part must not stand for the whole.
    isCacheable = name != nil && headers["Range"] == nil && (method == "GET" || method == "HEAD")
    let scope = choice.scope(of: request, options: options, headers: fields.identity, origin: origin)
    originalKey = CacheKey(original: name ?? origin.key, scope: scope)
    let suffixes = KeySuffix.all(
      of: transformer, decodeOptions: decodeOptions, options: options, namedCoder: namedCoder, context: context)
    variantKey =
      suffixes.isEmpty
      ? originalKey : CacheKey(original: originalKey.original, scope: scope, suffixes: suffixes)
    layers = LayerPlan(
      options: options, context: context, isVariant: !suffixes.isEmpty, isCacheable: isCacheable,
      isStorable: originalKey.isStorable, diskUse: origin.diskUse)
  }

  /// Whether the caller gave the bytes, so that nothing is loaded.
  var hasBytesAtHand: Bool { loader is BytesLoader }

  /// How many pixels the caller counts as a point, nil for what the picture itself says.
  var scaleFactor: Double? {
    if let scale = context[.scaleFactor] { return scale }
    guard options.contains(.scaleFromName) else { return nil }
    return ScaleInName.factor(of: url.path) ?? ScaleInName.factor(of: originalKey.original)
  }

  /// Whether something is done to the pixels.
  package var isVariant: Bool { variantKey.isVariant }

  private static func decodeOptions(
    _ options: ImageOptions, _ context: ImageContext, _ configuration: ImageManager.Configuration
  ) -> DecodeOptions {
    var result = context[.decodeOptions] ?? DecodeOptions()
    if let size = context[.thumbnailSize] { result.thumbnailSize = size }
    if let preserves = context[.preserveAspectRatio] { result.preservesAspectRatio = preserves }
    if let hint = context[.typeHint] { result.typeHint = hint }
    if options.contains(.scaleDownLarge) || result.scaleDownLimitBytes != nil || context[.scaleDownLimitBytes] != nil {
      result.scaleDownLimitBytes =
        context[.scaleDownLimitBytes] ?? result.scaleDownLimitBytes ?? configuration.scaleDownLimitBytes
    }
    // A box with a zero side asks for the full size, and must not be called something else.
    if let box = result.thumbnailSize, box.isEmpty { result.thumbnailSize = nil }
    // Only a box has an aspect to keep.
    if result.thumbnailSize == nil { result.preservesAspectRatio = true }
    return result
  }

  // RFC 9110 section 9.2.1. What is no known method may change anything.
  private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

  static func isSafe(_ method: String) -> Bool { method == "GET" || safeMethods.contains(method.uppercased()) }

  /// Fields that are part of the key may be the context's own; others may change what the server sends to everyone.
  private static func usesOwnSettings(_ context: ImageContext) -> Bool {
    context[.limits] == nil && context[.coder] == nil && context[.loader] == nil && context[.typeHint] == nil
      && context[.decodeOptions] == nil && context[.requestModifier] == nil && context[.responseModifier] == nil
      && context[.decryptor] == nil && context.cacheParts(.pixels).isEmpty
  }
}
