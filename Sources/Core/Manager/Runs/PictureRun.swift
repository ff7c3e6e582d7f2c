import FoundationEssentials

/// The life of a request, shared by everyone who waits for the same picture: from the caches, or else from the loader.
struct PictureRun: StoringRun {
  let manager: ImageManager
  let request: ResolvedRequest
  /// The time at which the load began.
  ///
  /// If the original is removed later, the load stores nothing.
  let turn: StoreTurn
  let shared: SharedRun

  func make() async throws -> Picture {
    defer { manager.loadOrder.leave(shared.priority.turn) }
    let cached = try await findInCaches()
    if let cached, mayUse(cached) { return cached }
    if let cached, request.options.contains(.refreshCached) { shared.emit(.cached(cached.image)) }
    do {
      let picture = try await load(replacing: cached)
      manager.failedURLs.remove(request.originalKey)
      return picture
    } catch {
      try Task.checkCancellation()
      let (failure, mayUseCached) = remember(error, having: cached?.record)
      guard let cached, mayUseCached else { throw failure }
      return cached.kept(despite: failure)
    }
  }

  /// Finds the picture in a cache, or makes it from a cached original.
  private func findInCaches() async throws -> Picture? {
    if let picture = try await findPicture() { return picture }
    if request.isVariant, let picture = try await makeFromCachedOriginal() { return picture }
    shared.report(.cacheMiss)
    return nil
  }

  /// Loads a picture, decodes it while bytes arrive, transforms and stores it.
  ///
  /// If there is a cached picture, the server is first asked if that one is still current. If so, only its record is
  /// renewed.
  func load(replacing cached: Picture?) async throws -> Picture {
    try manager.refuseWhatMustNotLoad(request)
    let key = TransferKey(request, revalidating: cached?.record)
    let transfer = startTransfer(key)
    if let cached, key.isRevalidation, case .notModified(let confirmation) = try await transfer.value {
      return await renew(cached, by: confirmation)
    }
    let image = try await makePixels(from: .transfer(transfer))
    return try await store(image, from: transfer.value)
  }

  /// True when the cached picture may be used without waiting for the server.
  ///
  /// If a stale picture may be used in the meantime, this starts a refresh in the background.
  private func mayUse(_ cached: Picture) -> Bool {
    let clock = manager.configuration.clock
    if request.mayUseWithoutAsking(cached.record, by: clock) { return true }
    guard request.mayServeWhileRevalidating(cached.record, by: clock) else { return false }
    manager.refreshInBackground(cached, request)
    return true
  }

  // MARK: Storing

  /// Stores a loaded picture under its own key, and the original of a variant under the key of the original.
  private func store(_ image: Image, from transferred: Transferred) async throws -> Picture {
    let picture = Picture(image, loadedAs: transferred, for: request, now: manager.configuration.clock.date)
    switch transferred {
    case .notModified: return picture
    case .image(_, _, let turn): return try await store(picture, broughtAt: turn, isNew: true, body: nil)
    case .body(let body): return try await store(picture, broughtAt: body.turn, isNew: true, body: body)
    }
  }

  /// Stores a picture; a picture from the loader is new, and is stored together with its body.
  private func store(
    _ picture: Picture, broughtAt turn: StoreTurn, isNew: Bool, body: LoadedBody?
  ) async throws -> Picture {
    var picture = picture
    switch request.cacheDecision(for: picture.record) {
    case .keep: break
    case .ignore: return picture
    case .forget:
      if isNew { picture.stores += await forgetEverything(broughtAt: turn) }
      return picture
    }
    guard !picture.image.traits.contains(.partial) else { return picture }
    let job = storeJob(for: picture, broughtAt: turn, isNew: isNew, body: body)
    await job.storeInMemory()
    try Task.checkCancellation()
    if let task = job.startStoringOnDisk() { picture.stores.append(task) }
    return picture
  }

  private func storeJob(for picture: Picture, broughtAt turn: StoreTurn, isNew: Bool, body: LoadedBody?) -> StoreJob {
    StoreJob(
      picture: picture, turn: turn, load: self.turn, request: request, shared: shared, isNew: isNew, body: body,
      manager: manager)
  }

  /// Gives the cached picture, and everything made from its original, the record that the server confirmed.
  private func renew(_ cached: Picture, by confirmation: Transferred.Confirmation) async -> Picture {
    var picture = cached
    picture.source = .revalidated
    picture.head = confirmation.head
    let stores = await renew(&picture.record, by: confirmation)
    picture.stores += stores
    return picture
  }
}

/// Finding a picture in the caches.
extension PictureRun {
  private func findPicture() async throws -> Picture? {
    let found = try await lookUp(
      request.variantKey, in: request.cache, request.cacheInstance, layers: request.layers.query)
    guard let hit = found else { return nil }
    if let image = hit.entry.image {
      guard request.accepts(image) else { return nil }
      return Picture(image, from: hit.layer, bytes: hit.entry.bytes, record: hit.entry.record)
    }
    guard let bytes = hit.entry.bytes else { return nil }
    letOthersPass(hit.entry.record)
    do {
      let image = try await decodeStored(bytes, hit.entry.record)
      guard request.accepts(image) else { return nil }
      let picture = Picture(image, from: hit.layer, bytes: bytes, record: hit.entry.record)
      if !image.traits.contains(.partial) {
        await storeJob(for: picture, broughtAt: turn, isNew: false, body: nil).storeInMemory()
      }
      return picture
    } catch {
      try await giveUpOnStored(request.variantKey, in: request.cache, hit.layer, error)
      return nil
    }
  }

  private func makeFromCachedOriginal() async throws -> Picture? {
    guard let hit = try await findOriginal() else { return nil }
    letOthersPass(hit.record)
    do {
      let image = try await makePixels(from: hit.source)
      guard request.accepts(image) else { return nil }
      var picture = Picture(image, from: hit.layer, bytes: nil, record: hit.record)
      if let data = request.context[.extendedData] { picture.record.extendedData = data }
      if request.keepsReceivedPixels(image) { picture.bytes = hit.bytes }
      return try await store(picture, broughtAt: turn, isNew: false, body: nil)
    } catch {
      // The coder from the context may fail on bytes that the manager's own coder can read, so the entry stays.
      let keepsEntry = request.coderName != nil
      try await giveUpOnStored(request.originalKey, in: request.originalCache, keepsEntry ? [] : hit.layer, error)
      return nil
    }
  }

  private struct OriginalHit {
    let source: PixelSource
    let layer: CacheLayers
    let bytes: ImageBytes?
    let record: CacheRecord
  }

  /// Finds the original in a cache.
  ///
  /// A bitmap in memory serves only requests that begin with a full decode; other requests need the bytes.
  private func findOriginal() async throws -> OriginalHit? {
    var layers = request.layers.originalQuery
    while let hit = try await lookUp(
      request.originalKey, in: request.originalCache, request.originalCacheInstance, layers: layers)
    {
      let record = hit.entry.record
      if let image = hit.entry.image, request.decodesPlainly, request.needsEveryPixel(of: image.size) {
        let source = PixelSource.image(image, generation: record.generation)
        return OriginalHit(source: source, layer: hit.layer, bytes: hit.entry.bytes, record: record)
      }
      if let bytes = hit.entry.bytes {
        return OriginalHit(source: .cached(bytes, record), layer: hit.layer, bytes: bytes, record: record)
      }
      layers.subtract(hit.layer)
    }
    return nil
  }

  /// Decodes stored bytes.
  ///
  /// An original is decoded with the options of the request; a variant holds finished pixels.
  private func decodeStored(_ bytes: ImageBytes, _ record: CacheRecord) async throws -> Image {
    guard request.isVariant else { return try await makePixels(from: .cached(bytes, record)) }
    let work = newWork(response: record.response?.head)
    let started = manager.configuration.clock.uptime
    var image = try await onWorker(.decoder, work) { [manager, request] in
      let coder = try manager.coder(reading: bytes, for: request)
      let options = request.decodeOptions.reading(record.picture, isVariant: true)
      return try request.checks.decode(bytes, by: coder, work: work) { _ in options }
    }
    shared.report(.decoded(image.size, manager.configuration.clock.uptime - started))
    if let known = record.picture {
      known.restore(&image)
      return image
    }
    // The entry was stored by a version that did not yet keep records of pictures.
    if request.decodeOptions.makesSmaller { image.traits.insert(.thumbnail) }
    if !request.transformer.isIdentity && !request.keepsReceivedPixels(image) { image.traits.insert(.transformed) }
    return image
  }

  /// Lets later loads reach the loader first, because this load has its bytes and only decodes them.
  private func letOthersPass(_ record: CacheRecord) {
    if request.mayUseWithoutAsking(record, by: manager.configuration.clock) {
      manager.loadOrder.leave(shared.priority.turn)
    }
  }

  /// Removes an entry that cannot be decoded, so that the next lookup misses it.
  private func giveUpOnStored(
    _ key: CacheKey, in cache: any ImageCache, _ layer: CacheLayers, _ error: any Error
  ) async throws {
    try Task.checkCancellation()
    let failure = ImageError.wrapping(error, as: .badImageData, "A stored picture could not be decoded.")
    guard [.badImageData, .unsupportedFormat].contains(failure.code) else { throw failure }
    report(failure, of: key)
    guard !layer.isEmpty else { return }
    do {
      try await manager.call(cache, about: key, within: ImageManager.queryTime) {
        try await cache.remove(key, from: layer)
      }
    } catch {
      report(error, of: key)
    }
  }
}
