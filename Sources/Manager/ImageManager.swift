import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers

/// Loads pictures: looks in the caches, loads, decodes, transforms and stores, and delivers each result exactly once.
///
/// The manager never does the same work twice at the same time: a load joins a lookup, transfer, decode or transform
/// that is already running.
///
/// A program usually has one manager, or a few with different settings. All members may be used from any thread.
///
/// ```swift
/// let manager = ImageManager(.standard())
/// let image = try await manager.image(for: url, context: [.transformer(.resize(width: 320))])
/// ```
public final class ImageManager: Sendable {
  /// The plug-ins and settings of the manager.
  public let configuration: Configuration

  let identity = ManagerIdentity()
  let lookupRuns = SharedWork<LookupKey, CacheEntry.Hit?>()
  let transferRuns = SharedWork<TransferKey, TransferResult>()
  let pixelRuns = SharedWork<PixelsKey, Image>()
  let encodingRuns = SharedWork<EncodingRunKey, EncodingResult>()
  let resultRuns = SharedWork<ResultKey, Product>()
  let storeQueues = StoreQueues()
  let bodyMemory: BodyMemory
  let pendingStores = PendingStores()
  let failedURLs: FailedURLs
  let spellings = URLSpellings()
  let loads = RunningLoads()
  let background = BackgroundWork()
  /// Passes claims to the coordinator; nil without a coordinator.
  let flights: FlightCalls?

  /// Creates a manager whose plug-ins and settings do not change.
  ///
  /// ```swift
  /// var configuration = ImageManager.Configuration.standard()
  /// configuration.limits.framePixels = 20_000_000
  /// let manager = ImageManager(configuration)
  /// ```
  public init(_ configuration: Configuration) {
    self.configuration = configuration.withValues
    flights = FlightCalls(
      configuration.coordinator, longestWait: configuration.coordinatorWait, by: configuration.clock)
    bodyMemory = BodyMemory(capacity: configuration.undecodedBytes, clock: configuration.clock)
    failedURLs = FailedURLs(
      lifetime: configuration.failedURLLifetime, capacity: configuration.failedURLCapacity, clock: configuration.clock)
  }
}

/// Stands for a manager in keys and requests, so that these do not keep the manager alive.
final class ManagerIdentity: Sendable {}
