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
    /// Makes the transformer that brings a picture to this size.
    ///
    /// It is asked for where a loader brings a ready-made picture, and `thumbnailSize` or `scaleDownLarge` wants less.
    /// EaselCore itself resizes nothing: without a scaler such a load fails. Easel's standard configuration has one.
    public var scaler: (@Sendable (PixelSize) -> any Transformer)?
    /// Header fields of requests that are part of the cache key, whichever they are.
    ///
    /// All fields are that a load's context adds, except `Accept`, `Accept-*`, `User-Agent`, `Referer`, `Range`, those
    /// of conditions (`If-*`) and of caches (`Cache-Control`, `Pragma`), and ``neutralHeaders``.
    public var identityHeaders = ["Authorization", "Cookie"]
    /// Header fields of requests that change nothing of what comes back, such as the number of a trace.
    public var neutralHeaders: [String] = []
    /// The statuses of a good response, nil for all.
    public var acceptedStatuses: ClosedRange<Int>? = 200...299
    /// Single statuses that are good as well, beside ``acceptedStatuses``.
    public var alsoAcceptedStatuses: Set<Int> = []
    /// The types of a good response, lower case, nil for all.
    public var acceptedContentTypes: Set<String>?
    /// The part of the whole body that must come between two reports of progress.
    public var minimumProgressInterval = 0.01
    /// The least time between two previews of one load.
    public var minimumPreviewInterval = Duration.milliseconds(100)
    /// The most bytes of frames that `preloadAllFrames` decodes.
    public var frameBudgetBytes = 64 << 20
    /// How long a URL that failed for good is not tried again.
    public var failedURLLifetime = Duration.seconds(600)
    /// How many failed URLs are remembered.
    public var failedURLCapacity = 1000
    /// Whether a URL that no cache answers may be loaded; everything may by default.
    public var shouldLoad: (@Sendable (URL) -> Bool)?
    /// Whether a URL that failed like this is not tried again for a while; nil leaves it to loader and manager.
    public var shouldBlock: (@Sendable (URL, ImageError) -> Bool?)?

    /// The same for bytes that nobody transfers.
    var withoutTransferHooks: Configuration {
      var configuration = self
      configuration.requestModifier = nil
      configuration.responseModifier = nil
      configuration.decryptor = nil
      return configuration
    }

    /// Those of its plug-ins that are equal to any others that equal them, by their places; the manager finds them out
    /// once, so that no load has to.
    private(set) var values: [String: PluginValue] = [:]

    /// The same with the plug-ins found out that are values.
    var withValues: Configuration {
      let plugins: [(String, (any Sendable)?)] = [
        ("loader", loader), ("cache", cache), ("originalCache", originalCache), ("request", requestModifier),
        ("response", responseModifier), ("decryptor", decryptor), ("retry", retryPolicy),
        ("serializer", cacheSerializer),
      ]
      var configuration = self
      configuration.values = [:]
      for (place, plugin) in plugins { configuration.values[place] = plugin.flatMap { PluginValue.of($0) } }
      return configuration
    }

    /// The bytes of bodies that may wait to be decoded before further transfers wait too.
    package var undecodedBytes = 32 << 20
    package var clock: any ImageClock = SystemClock()
    package var workers = WorkerSet.pixels

    /// Creates a configuration.
    public init(loader: any ImageLoader, coder: CoderRegistry, cache: any ImageCache) {
      self.loader = loader
      self.coder = coder
      self.cache = cache
    }
  }
}
