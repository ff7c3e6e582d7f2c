import EaselCore
import EaselHTTP
import EaselTiers
import FoundationEssentials

/// A resolved request: everything that follows from the request, the configuration and the options processor.
///
/// Keys, decode options, layers and plug-ins all come from here, so that the work always matches its cache key.
package final class ResolvedRequest: Sendable {
  /// The manager's identity.
  ///
  /// It is kept alive, so that no new object gets its address and is mistaken for it.
  let owner: any AnyObject & Sendable

  /// The bytes that the caller passed in; nil when they come from the URL.
  let bytesAtHand: SuppliedBytes?
  package let url: URL
  package let method: String
  /// True when the method changes nothing on the server, so that one response can serve many loads.
  let isSafe: Bool
  package let body: Data?
  package let headers: HTTPHeaders
  /// The header fields that are not part of the key.
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
  /// The transformers to run, with neighbours merged where possible.
  let steps: [any Transformer]
  package let decodeOptions: DecodeOptions
  package let limits: Limits
  package let cachePolicy: CachePolicy

  /// The key of the bytes; it also decides which running loads may share a transfer.
  package let originalKey: CacheKey
  /// The origin that the loader gives for the URL; the keys depend on it.
  let origin: ImageOrigin
  /// The key of the pixels; equal to the key of the original when no step changes them.
  package let variantKey: CacheKey
  /// True when pictures of this request may be looked up and stored.
  ///
  /// False when the filter gave no name, for a request of a range, and for methods that do more than read.
  package let isCacheable: Bool
  package let layers: LayerPlan
  /// The encoded form of the result; nil for a picture.
  let form: ResolvedRecipe?
  /// False if the pixels always change, so that the bytes of the original cannot be the result.
  let mayKeepBytes: Bool
  /// The reason why the recipe is invalid; nil if it is valid.
  let formError: ImageError?
  /// The key of the result: that of the pixels or that of the encoded bytes.
  package let resultKey: CacheKey

  /// The coder from the context; nil for the manager's coder.
  let coderName: String?
  let cacheInstance: PluginInstance
  let originalCacheInstance: PluginInstance
  let retryInstance: PluginInstance?
  let serializerInstance: PluginInstance?

  init(
    _ request: ImageRequest, from source: ImageRequest.Source, as recipe: EncodeRecipe?,
    configuration: ImageManager.Configuration, owner: any AnyObject & Sendable
  ) {
    var options = request.options
    var context = request.context
    let url: URL
    switch source {
    case .url(let known): (url, bytesAtHand) = (known ?? SuppliedBytes.url, nil)
    case .bytes(let bytes): (url, bytesAtHand) = (SuppliedBytes.url, bytes)
    }
    self.url = url
    configuration.optionsProcessor?.process(url, options: &options, context: &context)
    var wanted = recipe
    if options.contains(.firstFrameOnly) { wanted?.options.firstFrameOnly = true }
    (form, formError) = Self.form(of: wanted, coders: [context[.coder], configuration.coders].compactMap { $0 })
    if let form { options.formUnion(form.optionsForFrames) }
    // The manager's plug-ins for transfers do not apply to bytes that the caller passed in.
    let configuration = bytesAtHand == nil ? configuration : configuration.withoutTransferHooks
    let choice = PluginChoice(context: context, configuration: configuration, owner: owner)

    self.owner = owner
    self.options = options
    self.context = context
    method = request.method.uppercased()
    isSafe = Self.isSafe(method)
    body = request.body
    headers = context[.headers] ?? [:]
    let fields = HeaderIdentity.parted(
      headers, identities: configuration.identityHeaders, neutrals: configuration.neutralHeaders)
    neutralHeaders = fields.neutral
    priority = options.priority ?? request.priority
    limits = context[.limits] ?? configuration.limits
    cachePolicy = context[.cachePolicy] ?? configuration.cachePolicy
    transformer = context[.transformer] ?? configuration.transformer
    steps = transformer.merged.members
    var decodeOptions = Self.decodeOptions(options, context, configuration)

    let hinted = decodeOptions.typeHint.flatMap { configuration.coders.coder(decoding: $0) }
    // A hint without a matching coder has no effect, so it must not change the cache key.
    if hinted == nil, context[.coder] == nil { decodeOptions.typeHint = nil }
    self.decodeOptions = decodeOptions
    let namedCoder = context[.coder] ?? hinted
    coder = namedCoder ?? configuration.coders
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
    observer = ClosurePlugin.joining(usualObserver, context[.additionalObserver])
    retryInstance = choice.instance(.retryPolicy, configured: configuration.retryPolicy, at: "retry")
    serializerInstance = choice.instance(
      .cacheSerializer, configured: configuration.cacheSerializer, at: "serializer")

    let origin = bytesAtHand?.origin ?? loader.origin(of: url)
    self.origin = origin
    let filter = context[.cacheKeyFilter] ?? configuration.cacheKeyFilter
    let name = bytesAtHand.map(\.name) ?? filter.map { $0.original(for: url) } ?? origin.key
    // A response to a range must not be cached as if it were the whole.
    isCacheable = name != nil && headers["Range"] == nil && (method == "GET" || method == "HEAD")
    let scope = choice.scope(of: request, options: options, headers: fields.identity, origin: origin, bytesAtHand)
    originalKey = CacheKey(original: name ?? origin.key, scope: scope)
    let suffixes = CacheKey.Suffix.all(
      of: transformer, decodeOptions: decodeOptions, options: options, namedCoder: namedCoder, context: context)
    variantKey =
      suffixes.isEmpty
      ? originalKey : CacheKey(original: originalKey.original, scope: scope, suffixes: suffixes)
    mayKeepBytes =
      form != nil && coderName == nil && !suffixes.contains { $0.origin == .custom }
      && steps.allSatisfy { $0 is any SizeDependentTransformer }
    if let form {
      resultKey = CacheKey(
        original: originalKey.original, scope: scope, suffixes: suffixes + [form.suffix(mayBeOriginal: mayKeepBytes)])
    } else {
      resultKey = variantKey
    }
    let isSharable =
      isCacheable && bytesAtHand == nil
      && Self.isSharable(
        url, headers, options: options, origin: origin, isDecrypted: decryptor != nil,
        caches: cacheInstance == originalCacheInstance ? [cache] : [cache, originalCache], key: originalKey,
        configuration: configuration)
    layers = LayerPlan(
      options: options, context: context, isVariant: !suffixes.isEmpty, isCacheable: isCacheable,
      isStorable: originalKey.isStorable, diskUse: origin.diskUse, isSharable: isSharable)
  }

  /// The number of pixels per point that the caller wants; nil keeps that of the picture.
  var scaleFactor: Double? {
    if let scale = context[.scaleFactor] { return scale }
    guard options.contains(.scaleFromName) else { return nil }
    return ScaleInName.factor(of: url.path) ?? ScaleInName.factor(of: originalKey.original)
  }

  /// True when the pixels differ from those of the original.
  package var isVariant: Bool { variantKey.isVariant }

  private static func form(
    of recipe: EncodeRecipe?, coders: [any ImageCoder]
  ) -> (ResolvedRecipe?, ImageError?) {
    guard let recipe else { return (nil, nil) }
    do throws(ImageError) {
      return (try ResolvedRecipe(recipe, coders: coders), nil)
    } catch {
      return (nil, error)
    }
  }

  private static func decodeOptions(
    _ options: ImageOptions, _ context: ImageContext, _ configuration: ImageManager.Configuration
  ) -> DecodeOptions {
    var result = context[.decodeOptions] ?? DecodeOptions(damaged: configuration.damaged)
    if let size = context[.thumbnailSize] { result.thumbnailSize = size }
    if let preserves = context[.preserveAspectRatio] { result.preservesAspectRatio = preserves }
    if let keeps = context[.keepsHighRange] { result.keepsHighRange = keeps }
    if let damaged = context[.damaged] { result.damaged = damaged }
    if let hint = context[.typeHint] { result.typeHint = hint }
    if options.contains(.scaleDownLarge) || result.scaleDownLimitBytes != nil || context[.scaleDownLimitBytes] != nil {
      result.scaleDownLimitBytes =
        context[.scaleDownLimitBytes] ?? result.scaleDownLimitBytes ?? configuration.scaleDownLimitBytes
    }
    // A box with a side of zero means the full size, so it must have the same cache key.
    if let box = result.thumbnailSize, box.isEmpty { result.thumbnailSize = nil }
    // Colours that are not converted keep their range anyway, so the option must not change the cache key.
    if !result.convertsColor { result.keepsHighRange = false }
    // Both matter only with a box, so otherwise they must not change the cache key or which loads share their work.
    if result.thumbnailSize == nil { (result.preservesAspectRatio, result.fidelity) = (true, .faithful) }
    return result
  }

  // The safe methods of RFC 9110 section 9.2.1. An unknown method may change anything.
  private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

  static func isSafe(_ method: String) -> Bool { method == "GET" || safeMethods.contains(method.uppercased()) }
}

/// Further properties that follow from the request.
extension ResolvedRequest {
  /// False when the loader now names another origin, for example because a file was edited.
  var hasItsOrigin: Bool { origin.isLasting || loader.origin(of: url) == origin }

  /// The text that names the request in errors.
  var subject: String { url.absoluteString }

  /// The key suffixes of custom settings that change pixels.
  var customSettings: [CacheKey.Suffix] { variantKey.suffixes.filter { $0.origin == .custom } }

  /// The cache, and the cache of originals if it is a different one.
  var caches: [any ImageCache] { cacheInstance == originalCacheInstance ? [cache] : [cache, originalCache] }

  /// The rules that decide whether this request may use a cached response.
  var cacheUse: CacheUse {
    CacheUse(cachePolicy, options: options, headers: headers, neutralHeaders: neutralHeaders)
  }

  /// The demands of this load on a run.
  var wish: RunDemand {
    let deadline = context[.deadline] ?? .longest
    // Pixels that are encoded are not stored: they are large, and the encoded bytes answer every caller.
    if form != nil {
      return RunDemand(
        encodedStore: layers.encodedStore, originalStore: layers.storeOfBytes,
        deadline: deadline)
    }
    return RunDemand(
      store: layers.store, originalStore: layers.originalStore,
      wantsPreviews: options.contains(.progressive) && decryptor == nil && !options.contains(.refreshCached),
      deadline: deadline)
  }
}
