import FoundationEssentials

/// The keys of the core, for array literals of a context.
extension ImageContext.Entry {
  /// What is done to the picture after decoding; `.identity` switches the manager's own off.
  public static func transformer(_ value: TransformerPipeline) -> Self { Self(.transformer, value) }
  /// Who names the original.
  public static func cacheKeyFilter(_ value: any CacheKeyFilter) -> Self { Self(.cacheKeyFilter, value) }
  /// Who decides which bytes go to disk.
  public static func cacheSerializer(_ value: any CacheSerializer) -> Self { Self(.cacheSerializer, value) }
  /// Who loads.
  public static func loader(_ value: any ImageLoader) -> Self { Self(.loader, value) }
  /// Who probes, decodes and encodes.
  public static func coder(_ value: any ImageCoder) -> Self { Self(.coder, value) }
  /// Where pictures and their variants are kept.
  public static func cache(_ value: any ImageCache) -> Self { Self(.cache, value) }
  /// Where originals of variants are kept.
  public static func originalCache(_ value: any ImageCache) -> Self { Self(.originalCache, value) }
  /// Who changes the request before it is sent.
  public static func requestModifier(_ value: any RequestModifier) -> Self { Self(.requestModifier, value) }
  /// Who changes the head of the response.
  public static func responseModifier(_ value: any ResponseModifier) -> Self { Self(.responseModifier, value) }
  /// Who decrypts the body.
  public static func decryptor(_ value: any Decryptor) -> Self { Self(.decryptor, value) }
  /// Who decides whether a failed attempt is repeated.
  public static func retryPolicy(_ value: any RetryPolicy) -> Self { Self(.retryPolicy, value) }
  /// How much a picture may ask for; what is cached already is served whatever its size.
  public static func limits(_ value: Limits) -> Self { Self(.limits, value) }
  /// The box in pixels that the picture is decoded to fit in.
  public static func thumbnailSize(_ value: PixelSize) -> Self { Self(.thumbnailSize, value) }
  /// Whether a thumbnail keeps the ratio of its sides, true by default.
  public static func preserveAspectRatio(_ value: Bool) -> Self { Self(.preserveAspectRatio, value) }
  /// How many pixels make a point on the screen it is meant for.
  public static func scaleFactor(_ value: Double) -> Self { Self(.scaleFactor, value) }
  /// The format to assume whatever the bytes look like.
  public static func typeHint(_ value: ImageFormat) -> Self { Self(.typeHint, value) }
  /// How the picture is decoded; `thumbnailSize`, `preserveAspectRatio`, `typeHint` and `scaleDownLimitBytes` override their parts of it.
  public static func decodeOptions(_ value: DecodeOptions) -> Self { Self(.decodeOptions, value) }
  /// How the picture is encoded where a serializer asks for it.
  public static func encodeOptions(_ value: EncodeOptions) -> Self { Self(.encodeOptions, value) }
  /// The most bytes of the bitmap, also without `scaleDownLarge`, which alone takes the manager's limit.
  public static func scaleDownLimitBytes(_ value: Int) -> Self { Self(.scaleDownLimitBytes, value) }
  /// Where the picture is looked for, everywhere by default.
  public static func queryLayers(_ value: CacheLayers) -> Self { Self(.queryLayers, value) }
  /// Where the picture is stored, everywhere by default.
  public static func storeLayers(_ value: CacheLayers) -> Self { Self(.storeLayers, value) }
  /// Where the original of a variant is looked for, the disk by default.
  public static func originalQueryLayers(_ value: CacheLayers) -> Self { Self(.originalQueryLayers, value) }
  /// Where the original of a variant is stored, the disk by default.
  public static func originalStoreLayers(_ value: CacheLayers) -> Self { Self(.originalStoreLayers, value) }
  /// Header fields to send, which are part of the cache key.
  ///
  /// `Accept`, `Accept-*`, `User-Agent`, `Referer` and the fields of ranges, conditions and caches are not.
  public static func headers(_ value: HTTPHeaders) -> Self { Self(.headers, value) }
  /// When a cached picture may be used.
  public static func cachePolicy(_ value: CachePolicy) -> Self { Self(.cachePolicy, value) }
  /// Data of your own that is stored beside the picture.
  public static func extendedData(_ value: Data) -> Self { Self(.extendedData, value) }
  /// Which of a target's pictures is loaded, for targets that show several.
  public static func targetKey(_ value: String) -> Self { Self(.targetKey, value) }
  /// Who is told of every event of this load, instead of the manager's observer.
  public static func observer(_ value: any ImageObserver) -> Self { Self(.observer, value) }
  /// An observer that is told of every event of this load beside the one that is told anyway.
  public static func additionalObserver(_ value: any ImageObserver) -> Self { Self(.additionalObserver, value) }
}
