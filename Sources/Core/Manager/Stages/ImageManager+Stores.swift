import FoundationEssentials

/// Stores: memory before the picture is delivered, the disk afterwards, both in the order of the transfers.
extension ImageManager {
  /// Stores what the loader brought: the picture under its key, and the original of a variant under its own.
  func stored(
    _ image: Image, loadedAs transferred: Transferred, _ request: ResolvedRequest, _ load: StoreTurn,
    in run: SharedRun
  ) async throws -> Picture {
    let picture = Picture(image, loadedAs: transferred, for: request, now: configuration.clock.date)
    switch transferred {
    case .notModified: return picture
    case .image(_, _, let turn): return try await stored(picture, turn, of: load, request, in: run, isNew: true)
    case .body(let body): return try await stored(picture, body.turn, of: load, request, in: run, isNew: true, body)
    }
  }

  /// Stores a picture; one that a loader brought is new, and its body, if it has one, goes with it.
  ///
  /// `turn` is that of its bytes, `load` that of the load.
  func stored(
    _ picture: Picture, _ turn: StoreTurn, of load: StoreTurn, _ request: ResolvedRequest, in run: SharedRun,
    isNew: Bool = false, _ body: LoadedBody? = nil
  ) async throws -> Picture {
    var picture = picture
    switch keeping(of: picture.record, request) {
    case .stored: break
    case .passedBy: return picture
    case .forgotten:
      if isNew { picture.stores += await forgotten(turn, of: load, request, in: run) }
      return picture
    }
    guard !picture.image.traits.contains(.partial) else { return picture }
    let job = StoreJob(
      picture: picture, turn: turn, load: load, request: request, run: run, isNew: isNew, body: body, manager: self)
    await job.storeInMemory()
    try Task.checkCancellation()
    if let task = job.startStoringOnDisk() { picture.stores.append(task) }
    return picture
  }

  /// Puts a picture that the disk had into memory.
  func keptInMemory(
    _ picture: Picture, _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async -> Picture {
    guard !picture.image.traits.contains(.partial) else { return picture }
    let job = StoreJob(
      picture: picture, turn: turn, load: turn, request: request, run: run, isNew: false, body: nil, manager: self)
    await job.storeInMemory()
    return picture
  }

  /// Forgets all that was made of an original of which nothing may be kept any more.
  func forgotten(
    _ turn: StoreTurn, of load: StoreTurn, _ request: ResolvedRequest, in run: SharedRun
  ) async -> [Task<Void, Never>] {
    await renewed(nil, ContentGeneration.ofNothing, turn, of: load, request, in: run)
  }

  /// Gives all that was made of these bytes of an original its new record, and forgets what was made of others; what is
  /// done when it returns is the memory's part.
  func renewed(
    _ response: ResponseRecord?, _ generation: UInt64, _ turn: StoreTurn, of load: StoreTurn,
    _ request: ResolvedRequest, in run: SharedRun
  ) async -> [Task<Void, Never>] {
    func renew(in layer: CacheLayers) -> Task<Void, Never> {
      storeLanes.add(turn, of: load, generation: generation, brings: true, isDisk: layer == .disk) {
        await self.renewEntries(response, generation, request, in: layer, run)
      }
    }
    await renew(in: .memory).value
    return [renew(in: .disk)]
  }

  /// The same for one layer and at once, by whoever has the lane already.
  func renewEntries(
    _ response: ResponseRecord?, _ generation: UInt64, _ request: ResolvedRequest, in layer: CacheLayers,
    _ run: SharedRun
  ) async {
    guard request.isCacheable else { return }
    for cache in request.caches {
      do {
        try await call(cache, about: request.originalKey, within: Self.time(toStoreIn: layer)) {
          try await cache.renew(response, ofOriginal: request.originalKey, generation: generation, in: layer)
        }
      } catch {
        report(error, of: request.originalKey, in: run)
      }
    }
  }
}

extension ResolvedRequest {
  /// The cache, and that of the originals where it is another.
  var caches: [any ImageCache] {
    cacheInstance == originalCacheInstance ? [cache] : [cache, originalCache]
  }

  /// What this load wants of a run.
  var wish: RunWish {
    RunWish(
      store: layers.store, originalStore: layers.originalStore,
      wantsPreviews: options.contains(.progressive) && decryptor == nil && !options.contains(.refreshCached))
  }
}
