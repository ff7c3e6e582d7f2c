/// Loads pictures: looks in the caches, asks the loader, decodes, transforms, stores, and delivers exactly once.
///
/// No work is done twice at the same time: whoever asks for what is being looked up, loaded, decoded or transformed
/// already joins in.
public final class ImageManager: Sendable {
  /// What the manager is made of.
  public let configuration: Configuration

  let identity = ManagerIdentity()
  let lookupRuns = SharedWork<LookupKey, CacheHit?>()
  let transferRuns = SharedWork<TransferKey, Transferred>()
  let pixelRuns = SharedWork<PixelsKey, Image>()
  let pictureRuns = SharedWork<PictureKey, Picture>()
  let storeLanes = StoreLanes()
  let bodyRoom: BodyRoom
  let storeBacklog = StoreBacklog()
  let failedURLs: FailedURLs
  let loads = RunningLoads()
  let departures = Departures()

  /// Creates a manager.
  public init(_ configuration: Configuration) {
    self.configuration = configuration.withValues
    bodyRoom = BodyRoom(capacity: configuration.undecodedBytes, clock: configuration.clock)
    failedURLs = FailedURLs(
      lifetime: configuration.failedURLLifetime, capacity: configuration.failedURLCapacity, clock: configuration.clock)
  }

  /// The beginning of a request for one caller, without waiting: an answer from memory, or a seat in a shared run.
  func begin(_ request: ResolvedRequest, for load: Load) throws(ImageError) -> Beginning {
    let found = inMemory(request)
    if let found, isEnough(found, request, for: load) { return .answered(found, request) }
    // What is answered at once need not be found again by anyone, and is not written down.
    let place = try register(load, request)
    if let found { return .found(found.picture, request, place) }
    let seat: Seat<Picture> = load.seat(for: request)
    departures.enter(load.number)
    let isNew = pictureRuns.sit(at: seat, PictureKey(request)) {
      // From here on: what is removed meanwhile is not to come back.
      let turn = storeLanes.begin(request.originalKey)
      return { run in
        defer { self.departures.leave(run.priority.turn) }
        return try await self.picture(request, turn, in: run)
      }
    }
    if !isNew { departures.leave(load.number) }
    return .seated(seat, request, place)
  }

  /// The rest of it.
  func result(of load: Load, after beginning: Beginning) async throws -> ImageResult {
    let (request, place): (ResolvedRequest, RunningLoads.Place)
    switch beginning {
    case .answered(let found, let known): return finished(found, known)
    case .failed(let error): throw error
    case .found(_, let known, let taken), .seated(_, let known, let taken): (request, place) = (known, taken)
    }
    defer { loads.remove(place) }
    let picture = try await beginning.picture(in: pictureRuns)
    if let result = try delivered(picture, request) { return result }
    return try await completed(picture, request, for: load)
  }

  /// The life of a request, for all who wait for the same picture: from the caches, or else from the loader.
  private func picture(
    _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture {
    let cached = try await fromCaches(request, turn, in: run)
    if let cached, mayUse(cached, request) { return cached }
    if let cached, request.options.contains(.refreshCached) { run.emit(.cached(cached.image)) }
    do {
      try refuseWhatMustNotLoad(request)
      let picture = try await fromLoader(request, cached, turn, in: run)
      failedURLs.remove(request.originalKey)
      return picture
    } catch {
      try Task.checkCancellation()
      return try keptOrFailed(cached, despite: error, request)
    }
  }

  // What only a failure needs is no part of the frames of all who wait.
  @inline(never)
  private func keptOrFailed(
    _ cached: Picture?, despite error: any Error, _ request: ResolvedRequest
  ) throws(ImageError) -> Picture {
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: request.subject)
    remember(failure, request)
    guard let cached, mayUse(cached.record, request, despite: failure) else { throw failure }
    return cached.kept(despite: failure)
  }

  /// The picture as it was stored, or made anew of its stored original.
  private func fromCaches(
    _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture? {
    if let picture = try await storedPicture(request, turn, in: run) { return picture }
    if request.isVariant, let picture = try await madeOfStoredOriginal(request, turn, in: run) { return picture }
    run.report(.cacheMiss)
    return nil
  }

  /// The picture made of what the loader brings, or the cached one where the server says that it is still right.
  func fromLoader(
    _ request: ResolvedRequest, _ cached: Picture?, _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture {
    let key = TransferKey(request, revalidating: cached?.record)
    let place = transferring(key, request, for: run)
    guard let cached, key.isRevalidation else { return try await made(in: place, request, turn, in: run) }
    return try await refreshed(cached, in: place, request, turn, in: run)
  }

  /// Asks whether the cached picture is still right, and loads another one where it is not.
  private func refreshed(
    _ cached: Picture, in place: SharedWork<TransferKey, Transferred>.Place, _ request: ResolvedRequest,
    _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture {
    let transfer = try await transferRuns.held(by: place)
    defer { transfer.release() }
    if case .notModified(let confirmation) = transfer.value {
      return await renewed(cached, by: confirmation, request, turn, in: run)
    }
    let image = try await pixels(of: .transfer(place.run), request, for: run)
    defer { image.release() }
    return try await stored(image.value, loadedAs: transfer.value, request, turn, in: run)
  }

  /// Loads, decodes while bytes arrive, transforms and stores.
  private func made(
    in place: SharedWork<TransferKey, Transferred>.Place, _ request: ResolvedRequest, _ turn: StoreTurn,
    in run: SharedRun
  ) async throws -> Picture {
    defer { transferRuns.giveUp(place) }
    let image = try await pixels(of: .transfer(place.run), request, for: run)
    // Held to the end of the stores, so that whoever comes meanwhile works on the same body.
    let transfer = try await transferRuns.held(by: place)
    defer {
      image.release()
      transfer.release()
    }
    return try await stored(image.value, loadedAs: transfer.value, request, turn, in: run)
  }
}

/// Stands for a manager where keys and requests speak of it, without keeping it alive.
final class ManagerIdentity: Sendable {}
