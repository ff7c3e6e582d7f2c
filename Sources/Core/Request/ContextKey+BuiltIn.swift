import FoundationEssentials

/// Defines the identity, the name and the impact of each key of the core.
private enum BuiltIn {
  enum TransformerKey: ImageContextKey {
    static let name = "transformer"
    static var impact: CacheImpact<TransformerPipeline> { .composedPixels }
  }
  enum CacheKeyFilterKey: ImageContextKey {
    static let name = "cacheKeyFilter"
    static var impact: CacheImpact<any CacheKeyFilter> { .composedBytes }
  }
  enum CacheSerializerKey: ImageContextKey {
    static let name = "cacheSerializer"
    static var impact: CacheImpact<any CacheSerializer> { .neutral }
  }
  enum LoaderKey: ImageContextKey {
    static let name = "loader"
    static var impact: CacheImpact<any ImageLoader> { .composedBytes }
  }
  enum CoderKey: ImageContextKey {
    static let name = "coder"
    static var impact: CacheImpact<any ImageCoder> { .composedPixels }
  }
  enum CacheKey: ImageContextKey {
    static let name = "cache"
    static var impact: CacheImpact<any ImageCache> { .neutral }
  }
  enum OriginalCacheKey: ImageContextKey {
    static let name = "originalCache"
    static var impact: CacheImpact<any ImageCache> { .neutral }
  }
  enum RequestModifierKey: ImageContextKey {
    static let name = "requestModifier"
    static var impact: CacheImpact<any RequestModifier> { .composedBytes }
  }
  enum ResponseModifierKey: ImageContextKey {
    static let name = "responseModifier"
    static var impact: CacheImpact<any ResponseModifier> { .composedBytes }
  }
  enum DecryptorKey: ImageContextKey {
    static let name = "decryptor"
    static var impact: CacheImpact<any Decryptor> { .composedBytes }
  }
  enum RetryPolicyKey: ImageContextKey {
    static let name = "retryPolicy"
    static var impact: CacheImpact<any RetryPolicy> { .neutral }
  }
  enum LimitsKey: ImageContextKey {
    static let name = "limits"
    static var impact: CacheImpact<Limits> { .neutral }
  }
  enum ThumbnailSizeKey: ImageContextKey {
    static let name = "thumbnailSize"
    static var impact: CacheImpact<PixelSize> { .composedPixels }
  }
  enum PreserveAspectRatioKey: ImageContextKey {
    static let name = "preserveAspectRatio"
    static var impact: CacheImpact<Bool> { .composedPixels }
  }
  enum ScaleFactorKey: ImageContextKey {
    static let name = "scaleFactor"
    static var impact: CacheImpact<Double> { .neutral }
  }
  enum TypeHintKey: ImageContextKey {
    static let name = "typeHint"
    static var impact: CacheImpact<ImageFormat> { .composedPixels }
  }
  enum DecodeOptionsKey: ImageContextKey {
    static let name = "decodeOptions"
    static var impact: CacheImpact<DecodeOptions> { .composedPixels }
  }
  enum EncodeOptionsKey: ImageContextKey {
    static let name = "encodeOptions"
    static var impact: CacheImpact<EncodeOptions> { .neutral }
  }
  enum ScaleDownLimitBytesKey: ImageContextKey {
    static let name = "scaleDownLimitBytes"
    static var impact: CacheImpact<Int> { .composedPixels }
  }
  enum QueryLayersKey: ImageContextKey {
    static let name = "queryLayers"
    static var impact: CacheImpact<CacheLayers> { .neutral }
  }
  enum StoreLayersKey: ImageContextKey {
    static let name = "storeLayers"
    static var impact: CacheImpact<CacheLayers> { .neutral }
  }
  enum OriginalQueryLayersKey: ImageContextKey {
    static let name = "originalQueryLayers"
    static var impact: CacheImpact<CacheLayers> { .neutral }
  }
  enum OriginalStoreLayersKey: ImageContextKey {
    static let name = "originalStoreLayers"
    static var impact: CacheImpact<CacheLayers> { .neutral }
  }
  enum HeadersKey: ImageContextKey {
    static let name = "headers"
    static var impact: CacheImpact<HTTPHeaders> { .composedBytes }
  }
  enum CachePolicyKey: ImageContextKey {
    static let name = "cachePolicy"
    static var impact: CacheImpact<CachePolicy> { .neutral }
  }
  enum ExtendedDataKey: ImageContextKey {
    static let name = "extendedData"
    static var impact: CacheImpact<Data> { .neutral }
  }
  enum TargetKeyKey: ImageContextKey {
    static let name = "targetKey"
    static var impact: CacheImpact<String> { .neutral }
  }
  enum ObserverKey: ImageContextKey {
    static let name = "observer"
    static var impact: CacheImpact<any ImageObserver> { .neutral }
  }
  enum AdditionalObserverKey: ImageContextKey {
    static let name = "additionalObserver"
    static var impact: CacheImpact<any ImageObserver> { .neutral }
  }
}

extension ContextKey where Value == TransformerPipeline {
  /// The transformer that is applied after decoding; `.identity` switches off the manager's own.
  public static var transformer: ContextKey { ContextKey(BuiltIn.TransformerKey.self) }
}

extension ContextKey where Value == any CacheKeyFilter {
  /// The filter that names the original in the caches.
  public static var cacheKeyFilter: ContextKey { ContextKey(BuiltIn.CacheKeyFilterKey.self) }
}

extension ContextKey where Value == any CacheSerializer {
  /// The serializer that chooses the bytes to store on disk.
  public static var cacheSerializer: ContextKey { ContextKey(BuiltIn.CacheSerializerKey.self) }
}

extension ContextKey where Value == any ImageLoader {
  /// The loader that fetches bytes for URLs.
  public static var loader: ContextKey { ContextKey(BuiltIn.LoaderKey.self) }
}

extension ContextKey where Value == any ImageCoder {
  /// The coder that probes, decodes and encodes.
  public static var coder: ContextKey { ContextKey(BuiltIn.CoderKey.self) }
}

extension ContextKey where Value == any ImageCache {
  /// The cache that keeps pictures and their variants.
  public static var cache: ContextKey { ContextKey(BuiltIn.CacheKey.self) }
}

extension ContextKey where Value == any ImageCache {
  /// The cache that keeps the originals of variants.
  public static var originalCache: ContextKey { ContextKey(BuiltIn.OriginalCacheKey.self) }
}

extension ContextKey where Value == any RequestModifier {
  /// The modifier that changes the request before it is sent.
  public static var requestModifier: ContextKey { ContextKey(BuiltIn.RequestModifierKey.self) }
}

extension ContextKey where Value == any ResponseModifier {
  /// The modifier that changes the head of the response.
  public static var responseModifier: ContextKey { ContextKey(BuiltIn.ResponseModifierKey.self) }
}

extension ContextKey where Value == any Decryptor {
  /// The decryptor for the body.
  public static var decryptor: ContextKey { ContextKey(BuiltIn.DecryptorKey.self) }
}

extension ContextKey where Value == any RetryPolicy {
  /// The policy that decides if a failed attempt is repeated.
  public static var retryPolicy: ContextKey { ContextKey(BuiltIn.RetryPolicyKey.self) }
}

extension ContextKey where Value == Limits {
  /// The limits on the size and the cost of a picture.
  ///
  /// A picture that is already cached is delivered whatever its size.
  public static var limits: ContextKey { ContextKey(BuiltIn.LimitsKey.self) }
}

extension ContextKey where Value == PixelSize {
  /// The box in pixels that the picture is scaled to fit while decoding.
  public static var thumbnailSize: ContextKey { ContextKey(BuiltIn.ThumbnailSizeKey.self) }
}

extension ContextKey where Value == Bool {
  /// True when a thumbnail keeps the ratio of its sides, which is the default.
  public static var preserveAspectRatio: ContextKey { ContextKey(BuiltIn.PreserveAspectRatioKey.self) }
}

extension ContextKey where Value == Double {
  /// The number of pixels per point on the target screen.
  public static var scaleFactor: ContextKey { ContextKey(BuiltIn.ScaleFactorKey.self) }
}

extension ContextKey where Value == ImageFormat {
  /// The format to assume, regardless of the signature of the bytes.
  public static var typeHint: ContextKey { ContextKey(BuiltIn.TypeHintKey.self) }
}

extension ContextKey where Value == DecodeOptions {
  /// The options for decoding.
  ///
  /// `thumbnailSize`, `preserveAspectRatio`, `typeHint` and `scaleDownLimitBytes` override the corresponding options.
  public static var decodeOptions: ContextKey { ContextKey(BuiltIn.DecodeOptionsKey.self) }
}

extension ContextKey where Value == EncodeOptions {
  /// The options for encoding, for serializers that use them.
  public static var encodeOptions: ContextKey { ContextKey(BuiltIn.EncodeOptionsKey.self) }
}

extension ContextKey where Value == Int {
  /// The maximum number of bytes of the bitmap.
  ///
  /// It applies also without `scaleDownLarge`, which by itself uses the manager's limit.
  public static var scaleDownLimitBytes: ContextKey { ContextKey(BuiltIn.ScaleDownLimitBytesKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// The layers in which the picture is looked up; all by default.
  public static var queryLayers: ContextKey { ContextKey(BuiltIn.QueryLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// The layers in which the picture is stored; all by default.
  public static var storeLayers: ContextKey { ContextKey(BuiltIn.StoreLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// The layers in which the original of a variant is looked up; the disk by default.
  public static var originalQueryLayers: ContextKey { ContextKey(BuiltIn.OriginalQueryLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// The layers in which the original of a variant is stored; the disk by default.
  public static var originalStoreLayers: ContextKey { ContextKey(BuiltIn.OriginalStoreLayersKey.self) }
}

extension ContextKey where Value == HTTPHeaders {
  /// Header fields to send.
  ///
  /// Fields that can affect the response are part of the cache key.
  public static var headers: ContextKey { ContextKey(BuiltIn.HeadersKey.self) }
}

extension ContextKey where Value == CachePolicy {
  /// The rule for when a cached picture may be used.
  public static var cachePolicy: ContextKey { ContextKey(BuiltIn.CachePolicyKey.self) }
}

extension ContextKey where Value == Data {
  /// Your own data that is stored with the picture.
  public static var extendedData: ContextKey { ContextKey(BuiltIn.ExtendedDataKey.self) }
}

extension ContextKey where Value == String {
  /// The picture slot to load, for targets that show several pictures.
  public static var targetKey: ContextKey { ContextKey(BuiltIn.TargetKeyKey.self) }
}

extension ContextKey where Value == any ImageObserver {
  /// The observer that receives the events of this load instead of the manager's observer.
  public static var observer: ContextKey { ContextKey(BuiltIn.ObserverKey.self) }
}

extension ContextKey where Value == any ImageObserver {
  /// An additional observer that receives the events of this load.
  public static var additionalObserver: ContextKey { ContextKey(BuiltIn.AdditionalObserverKey.self) }
}
