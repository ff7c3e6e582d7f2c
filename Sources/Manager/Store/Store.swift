import EaselCore
import EaselSupport
import EaselTiers
import EaselWorkers

/// Stores one result in the caches, and the original that it was made from.
struct Store: Sendable {
  let run: Run
  let product: ProductParts
  /// The time at which the transfer of the bytes began.
  let turn: StoreTicket
  /// The time at which the load began.
  let load: StoreTicket
  /// True when the result came from a loader and not from a cache.
  let isNew: Bool
  /// The body that the result was made from, if it is new and came as bytes.
  let body: LoadedBody?

  private var request: ResolvedRequest { run.request }

  /// Stores the result in all layers; returns the stores that still run after memory has it.
  @inline(never)
  func everywhere(sharingBy flight: FlightSlot?) async throws -> [Task<Void, Never>] {
    await inMemory()
    try Task.checkCancellation()
    return [onDisk(), withOthers(by: flight)].compactMap { $0 }
  }

  /// Stores the result in memory before any caller gets its answer, so that a caller finds the result there afterwards.
  func inMemory() async {
    let wish = run.shared.wish
    let wantsResult = resultLayers(wish).contains(.memory)
    let wantsOriginal = originalLayers(wish).contains(.memory)
    guard wantsResult || wantsOriginal || isNew else { return }
    await add(in: .memory) {
      if isNew { await forgetOtherGenerations(in: .memory) }
      if wantsResult { await store(memoryEntry, request.resultKey, request.cache, .memory) }
      // Bytes never replace a picture, because a picture can answer more requests.
      if wantsOriginal, request.originalCache.memoryEntry(for: request.originalKey)?.image == nil {
        await storeOriginal(in: .memory)
      }
    }.value
  }

  /// Starts storing the bytes on disk.
  ///
  /// Only callers that ask to wait for stores wait for this one.
  private func onDisk() -> Task<Void, Never>? {
    let wish = run.shared.wish
    let wantsResult =
      resultLayers(wish).contains(.disk) && request.cache.layers(for: request.resultKey).contains(.disk)
    let wantsOriginal =
      originalLayers(wish).contains(.disk) && request.originalCache.layers(for: request.originalKey).contains(.disk)
    // Entries made from older bytes must be removed from the disk, even if the new ones are not stored.
    let forgets = isNew && request.layers.reach.contains(.disk)
    guard wantsResult || wantsOriginal || forgets else { return nil }
    let pending = wantsResult || wantsOriginal ? run.manager.pendingStores.add(heldBytes) : nil
    return add(in: .disk) {
      defer { withExtendedLifetime(pending) {} }
      if isNew { await forgetOtherGenerations(in: .disk) }
      if wantsOriginal { await storeOriginal(in: .disk) }
      if wantsResult { await storeResultOnDisk() }
    }
  }

  /// Starts storing the bytes in the store that several machines use; returns nil if nothing changes there.
  ///
  /// This task takes over the claim of the run, and ends the claim when the bytes are stored.
  private func withOthers(by flight: FlightSlot?) -> Task<Void, Never>? {
    guard request.layers.reach.contains(.shared) else { return nil }
    let wish = run.shared.wish
    let mayLeave = product.record.mayBeShared
    let result = mayLeave && resultLayers(wish).contains(.shared) ? sharedEntry : nil
    let wantsOriginal = mayLeave && originalLayers(wish).contains(.shared)
    let renews = isNew && body?.isPublished != true
    guard result != nil || wantsOriginal || renews else { return nil }
    let pending = run.manager.pendingStores.add(heldBytes)
    let claim = result == nil ? nil : flight?.take()
    return add(in: .shared) {
      defer { withExtendedLifetime(pending) {} }
      if renews { await renewShared(mayLeave: mayLeave) }
      if wantsOriginal { await storeOriginal(in: .shared) }
      guard let result, mayStoreResult(in: .shared) else { return }
      let isStored = await share(result)
      claim?.end(isStored ? .stored : .abandoned)
    }
  }

  /// Makes the shared store remove what was made from other bytes, or everything if the bytes must not be there.
  private func renewShared(mayLeave: Bool) async {
    if mayLeave {
      await forgetOtherGenerations(in: .shared)
    } else {
      await Renewal.entries(nil, generation: ContentGeneration.ofNothing, in: .shared, for: run)
    }
  }

  private func share(_ entry: CacheEntry) async -> Bool {
    var entry = entry
    do {
      if let bytes = entry.bytes, bytes.isInFile {
        let loaded = try await run.onStoringWorker(.reading, run.newStoringWork()) { try bytes.loaded() }
        entry = CacheEntry(bytes: loaded, record: entry.record)
      }
    } catch {
      run.report(error, of: request.resultKey)
      return false
    }
    return await store(entry, request.resultKey, request.cache, .shared)
  }

  private func storeResultOnDisk() async {
    guard mayStoreResult(in: .disk) else { return }
    do {
      let entry = try await diskEntry()
      await store(entry, request.resultKey, request.cache, .disk)
    } catch {
      run.report(error, of: request.resultKey)
    }
  }

  private func storeOriginal(in layer: CacheLayers) async {
    guard let body, body.claimStore(in: layer, of: request.originalCacheInstance) else { return }
    let entry = CacheEntry(bytes: body.bytes, record: body.record)
    await store(entry, request.originalKey, request.originalCache, layer)
  }

  @discardableResult
  private func store(
    _ entry: CacheEntry, _ key: CacheKey, _ cache: any ImageCache, _ layer: CacheLayers
  ) async -> Bool {
    do {
      try await run.calls(cache).store(entry, for: key, in: layer)
      run.report(.stored(key, layer))
      return true
    } catch {
      run.report(error, of: key)
      return false
    }
  }

  private func add(in layer: CacheLayers, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    run.manager.storeQueues.add(
      turn, of: load, generation: product.record.generation, brings: isNew, in: layer, work)
  }

  private func forgetOtherGenerations(in layer: CacheLayers) async {
    await Renewal.entries(product.record.response, generation: product.record.generation, in: layer, for: run)
  }
}

// MARK: What is stored where

extension Store {
  /// The layers in which the callers want the result.
  private func resultLayers(_ wish: RunDemand) -> CacheLayers {
    switch product.content {
    case .picture: return wish.store
    case .encoded(let encoded):
      // The disk already has these bytes as the original.
      let isOnDisk = encoded.isUntouched && wish.originalStore.contains(.disk)
      return isOnDisk ? wish.encodedStore.subtracting(.disk) : wish.encodedStore
    case .original: return []
    }
  }

  /// The layers in which the original is stored besides the result.
  private func originalLayers(_ wish: RunDemand) -> CacheLayers {
    guard body != nil else { return [] }
    if case .original = product.content { return request.layers.storeOfBytes.subtracting(.memory) }
    return isMadeFromOriginal ? wish.originalStore : []
  }

  /// True when the result is stored under another key than the original.
  private var isMadeFromOriginal: Bool { request.resultKey.isVariant }

  /// False when the result is a received body that another load already stores.
  private func mayStoreResult(in layer: CacheLayers) -> Bool {
    guard !isMadeFromOriginal, let body else { return true }
    return body.claimStore(in: layer, of: request.cacheInstance)
  }

  /// The memory that the result and the body hold until they are stored.
  private var heldBytes: Int {
    let received = body?.bytes.memoryCost
    return switch product.content {
    case .picture(let image, let bytes): image.memoryCost + (received ?? bytes?.memoryCost ?? 0)
    case .encoded(let encoded): encoded.bytes.memoryCost + (received ?? 0)
    case .original: received ?? 0
    }
  }

  private var memoryEntry: CacheEntry {
    switch product.content {
    case .picture(let image, let bytes):
      CacheEntry(
        image: image, bytes: request.options.contains(.includeData) ? bytes : nil, record: product.record)
    case .encoded(let encoded): CacheEntry(bytes: encoded.bytes, record: product.record)
    case .original(let bytes): CacheEntry(bytes: bytes, record: product.record)
    }
  }

  /// The entry for a store that several machines use; nil if nothing of the result may go there.
  ///
  /// Other machines get only the encoded results and the bytes of originals as received, never other pictures.
  private var sharedEntry: CacheEntry? {
    if case .encoded(let encoded) = product.content { return CacheEntry(bytes: encoded.bytes, record: product.record) }
    guard !request.isVariant, let body else { return nil }
    return CacheEntry(bytes: body.bytes, record: product.record)
  }

  private func diskEntry() async throws -> CacheEntry {
    if case .picture(let image, let bytes) = product.content {
      return try await DiskImage(run: run, image: image, bytes: bytes, record: product.record, body: body).entry()
    }
    return memoryEntry
  }
}
