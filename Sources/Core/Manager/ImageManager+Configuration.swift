import FoundationEssentials

extension ImageManager {
  /// The plug-ins and settings of a manager; a load's context replaces them for that load.
  public struct Configuration: Sendable {
    /// Who loads.
    public var loader: any ImageLoader
    /// Who decodes and encodes.
    public var coder: CoderRegistry
    /// Where pictures and their variants are kept.
    public var cache: any ImageCache
    /// Where originals of variants are kept, nil for the same cache.
    public var originalCache: (any ImageCache)?
    /// What is done to every picture.
    public var transformer = TransformerPipeline.identity
    /// Who changes requests before they are sent.
    public var requestModifier: (any RequestModifier)?
    /// Who changes the heads of responses.
    public var responseModifier: (any ResponseModifier)?
    /// Who decrypts bodies.
    public var decryptor: (any Decryptor)?
    /// Who names originals.
    public var cacheKeyFilter: (any CacheKeyFilter)?
    /// Who decides which bytes go to disk.
    public var cacheSerializer: (any CacheSerializer)?
    /// Who decides whether a failed attempt is repeated; nobody does by default.
    public var retryPolicy: (any RetryPolicy)?
    /// Who is told of every event.
    public var observer: (any ImageObserver)?
    /// Who has the last word on options and context.
    public var optionsProcessor: (any OptionsProcessor)?
    /// How much a picture may ask for.
    public var limits = Limits()
    /// When a cached picture may be used.
    public var cachePolicy = CachePolicy.forever
    /// The most bytes of a bitmap under `scaleDownLarge`.
    public var scaleDownLimitBytes = 64 << 20
    /// The header fields whose values tell users apart, and so are part of the cache key.
    public var identityHeaders = ["Authorization", "Cookie"]

    /// Creates a configuration.
    public init(loader: any ImageLoader, coder: CoderRegistry, cache: any ImageCache) {
      self.loader = loader
      self.coder = coder
      self.cache = cache
    }
  }
}
