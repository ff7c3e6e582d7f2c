import FoundationEssentials

/// Stores: memory before the picture is delivered, the disk afterwards, both in the order of the transfers.
extension ImageManager {
  /// Stores what the loader brought: the picture under its key, and the original of a variant under its own.
  func stored(
    _ image: Image, loadedAs transferred: Transferred, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Picture {
    let picture = Picture(image, loadedAs: transferred, for: request, now: configuration.clock.date)
    switch transferred {
    case .notModified: return picture
    case .image(_, let turn): return try await stored(picture, turn, request, in: run)
    case .body(let body): return try await stored(picture, body.turn, request, in: run, bringing: body)
    }
  }

  /// Stores a picture; a body that is new goes with it.
  func stored(
    _ picture: Picture, _ turn: StoreTurn, _ request: ResolvedRequest, in run: SharedRun,
    bringing body: LoadedBody? = nil
  ) async throws -> Picture {
    guard !picture.image.traits.contains(.partial), mayStore(picture.record, request) else { return picture }
    let job = StoreJob(picture: picture, turn: turn, request: request, run: run, body: body, manager: self)
    await job.storeInMemory()
    try Task.checkCancellation()
    var picture = picture
    if let task = job.startStoringOnDisk() { picture.stores.append(task) }
    return picture
  }

  /// Puts a picture that the disk had into memory.
  func keptInMemory(
    _ picture: Picture, _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async -> Picture {
    guard !picture.image.traits.contains(.partial) else { return picture }
    await StoreJob(picture: picture, turn: turn, request: request, run: run, body: nil, manager: self).storeInMemory()
    return picture
  }

  /// Gives all that was made of an original its new record.
  func renewRecords(
    _ response: ResponseRecord, _ generation: UInt64, _ request: ResolvedRequest, in run: SharedRun
  ) async -> [Task<Void, Never>] {
    let turn = storeLanes.begin(request.originalKey)
    func renew(in layer: CacheLayers) -> Task<Void, Never> {
      storeLanes.add(turn, generation: generation, brings: true, isDisk: layer == .disk) {
        for cache in request.caches {
          do {
            try await cache.renew(response, ofOriginal: request.originalKey, generation: generation, in: layer)
          } catch {
            self.report(error, of: request.originalKey, in: run)
          }
        }
      }
    }
    await renew(in: .memory).value
    return [renew(in: .disk)]
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
      store: layers.store, originalStore: layers.originalStore, byteLimit: .max,
      wantsPreviews: options.contains(.progressive) && decryptor == nil && !options.contains(.refreshCached))
  }
}
