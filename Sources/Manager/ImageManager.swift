import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers

/// Loads pictures: looks in the caches, loads, decodes, transforms, stores, and delivers each result exactly once.
///
/// The manager never does the same work twice at once: a load joins a lookup, transfer, decode or transform that is
/// already running.
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
  let lookupRuns = LookupRuns()
  let transferRuns = TransferRuns()
  let pixelRuns = PixelsRuns()
  let pictureRuns = ResultRuns<PictureParts>()
  let encodingRuns = EncodingRuns()
  let encodedRuns = ResultRuns<EncodedParts>()
  let storeLanes = StoreLanes()
  let bodyRoom: BodyRoom
  let pendingStores = PendingStores()
  let failedURLs: FailedURLs
  let spellings = Spellings()
  let loads = RunningLoads()
  /// Asks the coordinator; nil without one.
  let flights: FlightCalls?

  /// Creates a manager.
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
    bodyRoom = BodyRoom(capacity: configuration.undecodedBytes, clock: configuration.clock)
    failedURLs = FailedURLs(
      lifetime: configuration.failedURLLifetime, capacity: configuration.failedURLCapacity, clock: configuration.clock)
  }

  /// Begins a request for one caller without waiting.
  ///
  /// Returns an answer from memory or a seat in a shared run.
  func begin(_ request: ResolvedRequest, for load: Load) throws(ImageError) -> Beginning {
    let found = findInMemory(request)
    if let found {
      if request.observer != nil { load.report(.cacheHit(.memory)) }
      if !request.asksForMore(than: found.image, found.entry.bytes) { return .answered(found, request) }
    }
    // A load that has its answer already is not registered, because nobody needs to find it later.
    let slot = try register(load, request)
    if let found { return .found(found.picture, request, slot) }
    return .seated(begin(request, PictureRun.self, for: load), request, slot)
  }

  /// Takes a seat in the run that makes the result of a request, without waiting.
  func begin<Run: ResultRun>(_ request: ResolvedRequest, _ run: Run.Type, for load: Load) -> Seat {
    let seat = load.seat(for: request)
    Run.table(of: self).sit(at: seat, ResultKey(request)) {
      // The turn begins here: a removal after this point keeps the load from storing anything.
      let turn = storeLanes.begin(request.originalKey)
      return { [self] shared in
        try await Run(manager: self, request: request, turn: turn, shared: shared).run()
      }
    }
    return seat
  }

  /// Waits for the picture of a load that has begun, and delivers it.
  func result(of load: Load, after beginning: Beginning) async throws -> ImageResult {
    let (request, slot): (ResolvedRequest, RunningLoads.Slot)
    switch beginning {
    case .answered(let found, let known): return result(of: found, for: known)
    case .failed(let error): throw error
    case .found(_, let known, let taken), .seated(_, let known, let taken): (request, slot) = (known, taken)
    }
    defer { loads.remove(slot) }
    return try await deliver(beginning.picture(), request, to: load)
  }

  /// The finished picture in memory, if it may be used without asking the server.
  func findInMemory(_ request: ResolvedRequest) -> FoundInMemory? {
    guard request.layers.query.contains(.memory), !request.options.contains(.refreshCached),
      let entry = request.cache.memoryEntry(for: request.variantKey), let image = entry.image,
      entry.belongs(to: request.variantKey),
      // Reading the record copies it, so it is read only when the answer depends on it.
      request.accepts(image), request.cachePolicy != .http || request.isFresh(entry.record, by: configuration.clock)
    else { return nil }
    return FoundInMemory(image: image, entry: entry)
  }
}

/// Identifies a manager in keys and requests without keeping it alive.
final class ManagerIdentity: Sendable {}
