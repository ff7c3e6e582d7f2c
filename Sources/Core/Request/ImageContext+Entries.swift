import FoundationEssentials

/// The keys of the core, for array literals of a context.
extension ImageContext.Entry {
  /// The transformer that is applied after decoding; `.identity` switches off the manager's own.
  public static func transformer(_ value: TransformerPipeline) -> Self { Self(.transformer, value) }
  /// The filter that names the original in the caches.
  public static func cacheKeyFilter(_ value: any CacheKeyFilter) -> Self { Self(.cacheKeyFilter, value) }
  /// The serializer that chooses the bytes to store on disk.
  public static func cacheSerializer(_ value: any CacheSerializer) -> Self { Self(.cacheSerializer, value) }
  /// The loader that fetches bytes for URLs.
  public static func loader(_ value: any ImageLoader) -> Self { Self(.loader, value) }
  /// The coder that probes, decodes and encodes.
  public static func coder(_ value: any ImageCoder) -> Self { Self(.coder, value) }
  /// The cache that keeps pictures and their variants.
  public static func cache(_ value: any ImageCache) -> Self { Self(.cache, value) }
  /// The cache that keeps the originals of variants.
  public static func originalCache(_ value: any ImageCache) -> Self { Self(.originalCache, value) }
  /// The modifier that changes the request before it is sent.
  public static func requestModifier(_ value: any RequestModifier) -> Self { Self(.requestModifier, value) }
  /// The modifier that changes the head of the response.
  public static func responseModifier(_ value: any ResponseModifier) -> Self { Self(.responseModifier, value) }
  /// The decryptor for the body.
  public static func decryptor(_ value: any Decryptor) -> Self { Self(.decryptor, value) }
  /// The policy that decides if a failed attempt is repeated.
  public static func retryPolicy(_ value: any RetryPolicy) -> Self { Self(.retryPolicy, value) }
  /// The limits on the size and the cost of a picture.
  ///
  /// A picture that is already cached is delivered whatever its size.
  public static func limits(_ value: Limits) -> Self { Self(.limits, value) }
  /// The box in pixels that the picture is scaled to fit while decoding.
  public static func thumbnailSize(_ value: PixelSize) -> Self { Self(.thumbnailSize, value) }
  /// True when a thumbnail keeps the ratio of its sides, which is the default.
  public static func preserveAspectRatio(_ value: Bool) -> Self { Self(.preserveAspectRatio, value) }
  /// The number of pixels per point on the target screen.
  public static func scaleFactor(_ value: Double) -> Self { Self(.scaleFactor, value) }
  /// The format to assume, regardless of the signature of the bytes.
  public static func typeHint(_ value: ImageFormat) -> Self { Self(.typeHint, value) }
  /// The options for decoding.
  ///
  /// `thumbnailSize`, `preserveAspectRatio`, `typeHint` and `scaleDownLimitBytes` override the corresponding options.
  public static func decodeOptions(_ value: DecodeOptions) -> Self { Self(.decodeOptions, value) }
  /// The options for encoding, for serializers that use them.
  public static func encodeOptions(_ value: EncodeOptions) -> Self { Self(.encodeOptions, value) }
  /// The maximum number of bytes of the bitmap.
  ///
  /// It applies also without `scaleDownLarge`, which by itself uses the manager's limit.
  public static func scaleDownLimitBytes(_ value: Int) -> Self { Self(.scaleDownLimitBytes, value) }
  /// The layers in which the picture is looked up; all by default.
  public static func queryLayers(_ value: CacheLayers) -> Self { Self(.queryLayers, value) }
  /// The layers in which the picture is stored; all by default.
  public static func storeLayers(_ value: CacheLayers) -> Self { Self(.storeLayers, value) }
  /// The layers in which the original of a variant is looked up; the disk by default.
  public static func originalQueryLayers(_ value: CacheLayers) -> Self { Self(.originalQueryLayers, value) }
  /// The layers in which the original of a variant is stored; the disk by default.
  public static func originalStoreLayers(_ value: CacheLayers) -> Self { Self(.originalStoreLayers, value) }
  /// Header fields to send, which are part of the cache key.
  ///
  /// The exceptions are `Accept`, `Accept-*`, `User-Agent`, `Referer` and the fields of ranges, conditions and caches.
  public static func headers(_ value: HTTPHeaders) -> Self { Self(.headers, value) }
  /// The rule for when a cached picture may be used.
  public static func cachePolicy(_ value: CachePolicy) -> Self { Self(.cachePolicy, value) }
  /// Your own data that is stored with the picture.
  public static func extendedData(_ value: Data) -> Self { Self(.extendedData, value) }
  /// The picture slot to load, for targets that show several pictures.
  public static func targetKey(_ value: String) -> Self { Self(.targetKey, value) }
  /// The observer that receives the events of this load instead of the manager's observer.
  public static func observer(_ value: any ImageObserver) -> Self { Self(.observer, value) }
  /// An additional observer that receives the events of this load.
  public static func additionalObserver(_ value: any ImageObserver) -> Self { Self(.additionalObserver, value) }
}
