/// One picture on its way into the caches.
struct StoreJob: Sendable {
  let picture: Picture
  let turn: StoreTurn
  let request: ResolvedRequest
  let run: SharedRun
  /// Whether a loader brought it and not a cache.
  let isNew: Bool
  /// The body that it was made of, when it is new and came as bytes.
  let body: LoadedBody?
  let manager: ImageManager

  /// Stores the pixels, before anyone is answered, so that whoever is answered finds them.
  func storeInMemory() async {
    let wantsPicture = run.wish.store.contains(.memory)
    let wantsOriginal = request.isVariant && body != nil && run.wish.originalStore.contains(.memory)
    guard wantsPicture || wantsOriginal || isNew else { return }
    await add(isDisk: false) {
      if isNew { await forgetOtherGenerations(in: .memory) }
      if wantsPicture {
        let bytes = request.options.contains(.includeData) ? picture.bytes : nil
        let entry = CacheEntry(image: picture.image, bytes: bytes, record: picture.record)
        await store(entry, request.variantKey, request.cache, .memory)
      }
      if wantsOriginal, let body, mayPutOriginalInMemory, claims(body, .memory) {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        await store(entry, request.originalKey, request.originalCache, .memory)
      }
    }.value
  }

  /// Begins to store the bytes; nobody is kept waiting for it unless they asked for that.
  func startStoringOnDisk() -> Task<Void, Never>? {
    let wish = run.wish
    let wantsPicture =
      wish.store.contains(.disk) && request.cache.layers(for: request.variantKey).contains(.disk)
    let wantsOriginal =
      request.isVariant && body != nil && wish.originalStore.contains(.disk)
      && request.originalCache.layers(for: request.originalKey).contains(.disk)
    // What is on the disk of older bytes has to go, whether or not the new ones follow.
    let forgets = isNew && request.layers.reach.contains(.disk)
    guard wantsPicture || wantsOriginal || forgets else { return nil }
    let share = wantsPicture || wantsOriginal ? manager.storeBacklog.add(heldBytes) : nil
    return add(isDisk: true) {
      defer { withExtendedLifetime(share) {} }
      if isNew { await forgetOtherGenerations(in: .disk) }
      if wantsOriginal, let body, claims(body, .disk) {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        await store(entry, request.originalKey, request.originalCache, .disk)
      }
      if wantsPicture { await storePicture() }
    }
  }

  private func add(isDisk: Bool, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    manager.storeLanes.add(
      turn, generation: picture.record.generation, brings: isNew, isDisk: isDisk, work)
  }

  private var heldBytes: Int { picture.image.memoryCost + ((body?.bytes ?? picture.bytes)?.memoryCost ?? 0) }

  private func claims(_ body: LoadedBody, _ layer: CacheLayers) -> Bool {
    body.claimStore(in: layer, of: request.isVariant ? request.originalCacheInstance : request.cacheInstance)
  }

  /// Bytes never take the place of a picture, which answers more.
  private var mayPutOriginalInMemory: Bool {
    request.originalCache.memoryEntry(for: request.originalKey)?.image == nil
  }

  private func storePicture() async {
    if !request.isVariant, let body, !claims(body, .disk) { return }
    do {
      guard let bytes = try await bytesForDisk() else { return }
      await store(CacheEntry(bytes: bytes, record: picture.record), request.variantKey, request.cache, .disk)
    } catch {
      manager.report(error, of: request.variantKey, in: run)
    }
  }

  /// The serializer's bytes if there is one, else those received if the pixels are theirs, else the pixels written
  /// without loss.
  private func bytesForDisk() async throws -> ImageBytes? {
    let work = WorkContext(limits: request.limits, context: request.context)
    if let serializer = request.cacheSerializer {
      let bytes = try await manager.configuration.workers.run(at: manager.storeBacklog.priority) {
        try serializer.serialize(picture.image, received: picture.bytes, work: work)
      }
      if let bytes { return bytes }
    }
    if let bytes = picture.bytes { return bytes }
    return try await manager.configuration.workers.run(at: manager.storeBacklog.priority) {
      try LosslessEncoding.bytes(of: picture.image, by: request.coder, else: manager.configuration.coder, work: work)
    }
  }

  private func store(_ entry: CacheEntry, _ key: CacheKey, _ cache: any ImageCache, _ layer: CacheLayers) async {
    do {
      try await cache.store(entry, for: key, in: layer)
      run.report(.stored(key, layer))
    } catch {
      manager.report(error, of: key, in: run)
    }
  }

  private func forgetOtherGenerations(in layer: CacheLayers) async {
    await manager.renewEntries(picture.record.response, picture.record.generation, request, in: layer, run)
  }
}
