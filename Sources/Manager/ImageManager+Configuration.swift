import EaselCore
import EaselWorkers
import FoundationEssentials

extension ImageManager {
  /// The plug-ins and settings of a manager.
  ///
  /// The context of a load can override them for that load.
  ///
  /// ```swift
  /// var configuration = ImageManager.Configuration.standard(cacheDirectory: "/var/cache/pictures")
  /// configuration.limits.downloadBytes = 8 << 20
  /// configuration.observer = .closure { event in print(event.kind) }
  /// let manager = ImageManager(configuration)
  /// ```
  public struct Configuration: Sendable {
    /// The loader that fetches bytes for URLs.
    public var loader: any ImageLoader
    /// The coder that decodes and encodes pictures, usually a registry of several coders.
    public var coder: any ImageCoder {
      get { coders }
      set { coders = newValue.registry }
    }
    /// The cache that keeps pictures and their variants.
    public var cache: any ImageCache
    /// The cache that keeps the originals of variants; nil means ``cache``.
    public var originalCache: (any ImageCache)?
    /// The transformer that is applied to every picture.
    public var transformer = TransformerPipeline.identity
    /// The modifier that changes requests before they are sent.
    public var requestModifier: (any RequestModifier)?
    /// The modifier that changes the heads of responses.
    public var responseModifier: (any ResponseModifier)?
    /// The decryptor for the bodies of responses.
    public var decryptor: (any Decryptor)?
    /// The filter that chooses the names of originals in the caches.
    public var cacheKeyFilter: (any CacheKeyFilter)?
    /// The serializer that chooses the bytes to store on disk.
    public var cacheSerializer: (any CacheSerializer)?
    /// The policy that decides whether a failed attempt is repeated.
    ///
    /// Without one, no attempt is repeated.
    public var retryPolicy: (any RetryPolicy)?
    /// The observer that receives every event; ``addObserver(_:)`` joins another one to it.
    public var observer: (any ImageObserver)?
    /// The gate that lets the work of encoding pictures begin; without one, the work begins when a thread is free.
    public var workGate: (any WorkGate)?
    /// The coordinator that lets one of several processes do work for all.
    ///
    /// Without one, each process does all work itself. The manager asks it only about results that the shared
    /// store of the cache can pass to other processes.
    public var coordinator: (any FlightCoordinator)?
    /// The longest wait for another process; a load with a deadline waits at most half of its remaining time.
    public var coordinatorWait = Duration.seconds(10)
    /// The processor that makes the final changes to options and context.
    public var optionsProcessor: (any OptionsProcessor)?
    /// The limits on the size and the cost of a picture.
    public var limits = Limits()
    /// The treatment of damaged pictures, unless the context or its decode options state another.
    public var damaged = DamagePolicy.whole
    /// The rule that tells when a cached picture may be used.
    public var cachePolicy = CachePolicy.forever
    /// The maximum number of bytes of a bitmap under `scaleDownLarge`.
    public var scaleDownLimitBytes = 64 << 20
    /// Makes a transformer that scales a picture to the given size.
    ///
    /// The manager calls it when a loader returns a decoded picture that is larger than `thumbnailSize` or
    /// `scaleDownLarge` allows. EaselCore cannot resize: without a scaler, such a load fails. The standard
    /// configuration of Easel sets a scaler.
    public var scaler: (@Sendable (PixelSize) -> any Transformer)?
    /// Request header fields that are always part of the cache key.
    ///
    /// Every field that the context of a load adds is part of the key as well, except `Accept`, `Accept-*`,
    /// `User-Agent`, `Referer`, `Range`, conditional fields (`If-*`), cache fields (`Cache-Control`, `Pragma`) and
    /// ``neutralHeaders``.
    public var identityHeaders = ["Authorization", "Cookie"]
    /// Request header fields that do not affect the response, such as a trace ID.
    public var neutralHeaders: [String] = []
    /// The status codes of a successful response; nil accepts all of them.
    public var acceptedStatuses: ClosedRange<Int>? = 200...299
    /// Additional status codes of a successful response, outside ``acceptedStatuses``.
    public var alsoAcceptedStatuses: Set<Int> = []
    /// The accepted content types of a response, in lower case; nil accepts all types.
    public var acceptedContentTypes: Set<String>?
    /// The fraction of the body that must arrive between two progress reports.
    public var minimumProgressInterval = 0.01
    /// The minimum time between two previews of one load.
    public var minimumPreviewInterval = Duration.milliseconds(100)
    /// The maximum number of bytes that `preloadAllFrames` decodes.
    public var frameBudgetBytes = 64 << 20
    /// The time for which the manager does not try a URL again that failed permanently.
    public var failedURLLifetime = Duration.seconds(600)
    /// The maximum number of failed URLs that are remembered.
    public var failedURLCapacity = 1000
    /// Returns true when the loader may be called for a URL that no cache can answer.
    ///
    /// Without it, every URL may be loaded.
    public var shouldLoad: (@Sendable (URL) -> Bool)?
    /// Decides whether a URL that failed with this error is blocked for a while.
    ///
    /// Nil leaves the decision to the loader and the manager.
    public var shouldBlock: (@Sendable (URL, ImageError) -> Bool?)?

    /// The coders in ``coder``.
    package private(set) var coders: CoderRegistry

    /// Adds an observer, which is told of each event after those that were there before.
    ///
    /// ```swift
    /// configuration.addObserver(.closure { event in print(event.kind) })
    /// ```
    public mutating func addObserver(_ added: any ImageObserver) { observer = ClosurePlugin.joining(observer, added) }

    /// The same configuration, without plug-ins and rules for transfers, for bytes that the caller passed in.
    var withoutTransferHooks: Configuration {
      var configuration = self
      configuration.requestModifier = nil
      configuration.responseModifier = nil
      configuration.decryptor = nil
      return configuration
    }

    /// The plug-ins that can be compared by value, each under its place in the configuration.
    ///
    /// The manager determines them once, so that loads need not.
    private(set) var values: [String: PluginValue] = [:]

    /// The same configuration with ``values`` filled in.
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

    /// The most bytes that all bodies waiting to be decoded may take together.
    ///
    /// While they take more, further transfers wait.
    package var undecodedBytes = 32 << 20
    package var clock: any ImageClock = SystemClock()
    /// The threads for decoding, encoding and transforming.
    ///
    /// They also examine bytes that have arrived, unless `readers` is set after them.
    package var workers = WorkerSet.pixels { didSet { readers = workers } }
    /// The threads that examine bytes that have arrived.
    package var readers = WorkerSet.arrivals

    /// Creates a configuration from the three plug-ins that have no default.
    ///
    /// ```swift
    /// let configuration = ImageManager.Configuration(
    ///   loader: FileLoader(), coder: CoderRegistry([PNGCoder(), JPEGCoder()]),
    ///   cache: TieredCache(memory: LRUMemoryStore()))
    /// ```
    public init(loader: any ImageLoader, coder: any ImageCoder, cache: any ImageCache) {
      self.loader = loader
      self.coders = coder.registry
      self.cache = cache
    }
  }
}
