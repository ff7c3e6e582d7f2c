import FoundationEssentials

/// Gives each key of the core an identity, a name and an impact.
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
  /// What is done to the picture after decoding; `.identity` switches the manager's own off.
  public static var transformer: ContextKey { ContextKey(BuiltIn.TransformerKey.self) }
}

extension ContextKey where Value == any CacheKeyFilter {
  /// Who names the original.
  public static var cacheKeyFilter: ContextKey { ContextKey(BuiltIn.CacheKeyFilterKey.self) }
}

extension ContextKey where Value == any CacheSerializer {
  /// Who decides which bytes go to disk.
  public static var cacheSerializer: ContextKey { ContextKey(BuiltIn.CacheSerializerKey.self) }
}

extension ContextKey where Value == any ImageLoader {
  /// Who loads.
  public static var loader: ContextKey { ContextKey(BuiltIn.LoaderKey.self) }
}

extension ContextKey where Value == any ImageCoder {
  /// Who probes, decodes and encodes.
  public static var coder: ContextKey { ContextKey(BuiltIn.CoderKey.self) }
}

extension ContextKey where Value == any ImageCache {
  /// Where pictures and their variants are kept.
  public static var cache: ContextKey { ContextKey(BuiltIn.CacheKey.self) }
}

extension ContextKey where Value == any ImageCache {
  /// Where originals of variants are kept.
  public static var originalCache: ContextKey { ContextKey(BuiltIn.OriginalCacheKey.self) }
}

extension ContextKey where Value == any RequestModifier {
  /// Who changes the request before it is sent.
  public static var requestModifier: ContextKey { ContextKey(BuiltIn.RequestModifierKey.self) }
}

extension ContextKey where Value == any ResponseModifier {
  /// Who changes the head of the response.
  public static var responseModifier: ContextKey { ContextKey(BuiltIn.ResponseModifierKey.self) }
}

extension ContextKey where Value == any Decryptor {
  /// Who decrypts the body.
  public static var decryptor: ContextKey { ContextKey(BuiltIn.DecryptorKey.self) }
}

extension ContextKey where Value == any RetryPolicy {
  /// Who decides whether a failed attempt is repeated.
  public static var retryPolicy: ContextKey { ContextKey(BuiltIn.RetryPolicyKey.self) }
}

extension ContextKey where Value == Limits {
  /// How much a picture may ask for; what is cached already is served whatever its size.
  public static var limits: ContextKey { ContextKey(BuiltIn.LimitsKey.self) }
}

extension ContextKey where Value == PixelSize {
  /// The box in pixels that the picture is decoded to fit in.
  public static var thumbnailSize: ContextKey { ContextKey(BuiltIn.ThumbnailSizeKey.self) }
}

extension ContextKey where Value == Bool {
  /// Whether a thumbnail keeps the ratio of its sides, true by default.
  public static var preserveAspectRatio: ContextKey { ContextKey(BuiltIn.PreserveAspectRatioKey.self) }
}

extension ContextKey where Value == Double {
  /// How many pixels make a point on the screen it is meant for.
  public static var scaleFactor: ContextKey { ContextKey(BuiltIn.ScaleFactorKey.self) }
}

extension ContextKey where Value == ImageFormat {
  /// The format to assume whatever the bytes look like.
  public static var typeHint: ContextKey { ContextKey(BuiltIn.TypeHintKey.self) }
}

extension ContextKey where Value == DecodeOptions {
  /// How the picture is decoded; `thumbnailSize`, `preserveAspectRatio`, `typeHint` and `scaleDownLimitBytes` override their parts of it.
  public static var decodeOptions: ContextKey { ContextKey(BuiltIn.DecodeOptionsKey.self) }
}

extension ContextKey where Value == EncodeOptions {
  /// How the picture is encoded where a serializer asks for it.
  public static var encodeOptions: ContextKey { ContextKey(BuiltIn.EncodeOptionsKey.self) }
}

extension ContextKey where Value == Int {
  /// The most bytes of the bitmap, also without `scaleDownLarge`, which alone takes the manager's limit.
  public static var scaleDownLimitBytes: ContextKey { ContextKey(BuiltIn.ScaleDownLimitBytesKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// Where the picture is looked for, everywhere by default.
  public static var queryLayers: ContextKey { ContextKey(BuiltIn.QueryLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// Where the picture is stored, everywhere by default.
  public static var storeLayers: ContextKey { ContextKey(BuiltIn.StoreLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// Where the original of a variant is looked for, the disk by default.
  public static var originalQueryLayers: ContextKey { ContextKey(BuiltIn.OriginalQueryLayersKey.self) }
}

extension ContextKey where Value == CacheLayers {
  /// Where the original of a variant is stored, the disk by default.
  public static var originalStoreLayers: ContextKey { ContextKey(BuiltIn.OriginalStoreLayersKey.self) }
}

extension ContextKey where Value == HTTPHeaders {
  /// Header fields to send; those that tell users apart are part of the cache key.
  public static var headers: ContextKey { ContextKey(BuiltIn.HeadersKey.self) }
}

extension ContextKey where Value == CachePolicy {
  /// When a cached picture may be used.
  public static var cachePolicy: ContextKey { ContextKey(BuiltIn.CachePolicyKey.self) }
}

extension ContextKey where Value == Data {
  /// Data of your own that is stored beside the picture.
  public static var extendedData: ContextKey { ContextKey(BuiltIn.ExtendedDataKey.self) }
}

extension ContextKey where Value == String {
  /// Which of a target's pictures is loaded, for targets that show several.
  public static var targetKey: ContextKey { ContextKey(BuiltIn.TargetKeyKey.self) }
}

extension ContextKey where Value == any ImageObserver {
  /// Who is told of every event of this load, instead of the manager's observer.
  public static var observer: ContextKey { ContextKey(BuiltIn.ObserverKey.self) }
}

extension ContextKey where Value == any ImageObserver {
  /// An observer that is told of every event of this load beside the one that is told anyway.
  public static var additionalObserver: ContextKey { ContextKey(BuiltIn.AdditionalObserverKey.self) }
}
