import FoundationEssentials

/// The keys of the core, with their effects on cache keys and on the list of failed URLs.
///
/// Their values may also come from the manager. The manager therefore decides itself which of them keep loads apart.
extension ContextKeys {
  /// The transformer that is applied after decoding; `.identity` switches off the transformer of the manager.
  ///
  /// ```swift
  /// let image = try await manager.image(for: url, context: [.transformer(.resize(width: 320))])
  /// ```
  public static let transformer = ContextKey<TransformerPipeline>("transformer", .composedPixels)

  /// The filter that chooses the name of the original in the caches.
  public static let cacheKeyFilter = ContextKey<any CacheKeyFilter>("cacheKeyFilter", .composedBytes)

  /// The serializer that chooses the bytes to store on disk.
  public static let cacheSerializer = ContextKey<any CacheSerializer>(
    "cacheSerializer", .neutral)

  /// The loader that fetches bytes for URLs.
  public static let loader = ContextKey<any ImageLoader>("loader", .composedBytes.forgettingFailures())

  /// The coder that probes, decodes and encodes.
  public static let coder = ContextKey<any ImageCoder>("coder", .composedPixels.forgettingFailures())

  /// The cache that keeps pictures and their variants.
  public static let cache = ContextKey<any ImageCache>("cache", .neutral)

  /// The cache that keeps the originals of variants.
  public static let originalCache = ContextKey<any ImageCache>("originalCache", .neutral)

  /// The modifier that changes the request before it is sent.
  public static let requestModifier = ContextKey<any RequestModifier>(
    "requestModifier", .composedBytes.forgettingFailures())

  /// The modifier that changes the head of the response.
  public static let responseModifier = ContextKey<any ResponseModifier>(
    "responseModifier", .composedBytes.forgettingFailures())

  /// The decryptor for the body.
  public static let decryptor = ContextKey<any Decryptor>("decryptor", .composedBytes.forgettingFailures())

  /// The policy that decides whether a failed attempt is repeated.
  public static let retryPolicy = ContextKey<any RetryPolicy>("retryPolicy", .neutral)

  /// The limits on the size and the cost of a picture.
  ///
  /// A picture that is already cached is delivered even if it exceeds the limits.
  ///
  /// ```swift
  /// let image = try await manager.image(for: url, context: [.limits(Limits(framePixels: 20_000_000))])
  /// ```
  public static let limits = ContextKey<Limits>("limits", .neutral.forgettingFailures())

  /// The box in pixels that the picture is scaled to fit while decoding.
  ///
  /// ```swift
  /// let box = PixelSize(width: 320, height: 320)
  /// let image = try await manager.image(for: url, context: [.thumbnailSize(box)])
  /// ```
  public static let thumbnailSize = ContextKey<PixelSize>("thumbnailSize", .composedPixels)

  /// True when a thumbnail keeps the ratio of its sides, which is the default.
  public static let preserveAspectRatio = ContextKey<Bool>("preserveAspectRatio", .composedPixels)

  /// True when pictures in PQ and HLG keep their range instead of being tone-mapped to sRGB.
  ///
  /// It overrides ``DecodeOptions/keepsHighRange`` of the decode options.
  public static let keepsHighRange = ContextKey<Bool>("keepsHighRange", .composedPixels)

  /// The treatment of a picture whose file is damaged or cut off.
  ///
  /// It overrides ``DecodeOptions/damaged`` of the decode options.
  public static let damaged = ContextKey<DamagePolicy>("damaged", .composedPixels)

  /// The number of pixels per point on the target screen.
  public static let scaleFactor = ContextKey<Double>("scaleFactor", .neutral)

  /// The format to assume, regardless of the signature of the bytes.
  public static let typeHint = ContextKey<ImageFormat>("typeHint", .composedPixels.forgettingFailures())

  /// The options for decoding.
  ///
  /// `thumbnailSize`, `preserveAspectRatio`, `keepsHighRange`, `damaged`, `typeHint` and `scaleDownLimitBytes` override the
  /// corresponding options.
  public static let decodeOptions = ContextKey<DecodeOptions>("decodeOptions", .composedPixels.forgettingFailures())

  /// The options for encoding, for serializers that use them.
  public static let encodeOptions = ContextKey<EncodeOptions>("encodeOptions", .neutral)

  /// The maximum number of bytes of the bitmap.
  ///
  /// It applies also without `scaleDownLarge`, which by itself uses the manager's limit.
  public static let scaleDownLimitBytes = ContextKey<Int>("scaleDownLimitBytes", .composedPixels)

  /// The layers in which the picture is looked up; all by default.
  public static let queryLayers = ContextKey<CacheLayers>("queryLayers", .neutral)

  /// The layers in which the picture is stored; all by default.
  public static let storeLayers = ContextKey<CacheLayers>("storeLayers", .neutral)

  /// The layers in which the original of a variant is looked up; the disk and the shared store by default.
  public static let originalQueryLayers = ContextKey<CacheLayers>("originalQueryLayers", .neutral)

  /// The layers in which the original of a variant is stored; the disk and the shared store by default.
  public static let originalStoreLayers = ContextKey<CacheLayers>("originalStoreLayers", .neutral)

  /// Header fields to send, which are part of the cache key.
  ///
  /// The exceptions are `Accept`, `Accept-*`, `User-Agent`, `Referer` and the fields of ranges, conditions and caches.
  ///
  /// ```swift
  /// let image = try await manager.image(for: url, context: [.headers(["Accept-Language": "de"])])
  /// ```
  public static let headers = ContextKey<HTTPHeaders>("headers", .composedBytes)

  /// The rule that tells when a cached picture may be used.
  public static let cachePolicy = ContextKey<CachePolicy>("cachePolicy", .neutral)

  /// Your own data, which is stored with the picture.
  public static let extendedData = ContextKey<Data>("extendedData", .neutral)

  /// The time on the manager's clock after which nobody waits for this load any more; a work gate can read it.
  ///
  /// The manager itself does not end the load at that time.
  public static let deadline = ContextKey<Duration>("deadline", .neutral)

  /// The picture slot to load, for targets that show several pictures.
  public static let targetKey = ContextKey<String>("targetKey", .neutral)

  /// The observer that receives the events of this load instead of the manager's observer.
  public static let observer = ContextKey<any ImageObserver>("observer", .neutral)

  /// An additional observer that receives the events of this load.
  public static let additionalObserver = ContextKey<any ImageObserver>("additionalObserver", .neutral)
}
