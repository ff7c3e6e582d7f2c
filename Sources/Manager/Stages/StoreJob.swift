import EaselCore
import EaselSupport
import EaselTiers
import EaselWorkers

/// Stores one result in the caches: a picture, or encoded bytes.
struct StoreJob: ManagerRun {
  let product: any StorableParts
  /// The time at which the transfer of the bytes began.
  let turn: StoreTurn
  /// The time at which the load began.
  let load: StoreTurn
  let request: ResolvedRequest
  let shared: SharedRun
  /// True when the result came from a loader and not from a cache.
  let isNew: Bool
  /// The body that the result was made from, if it is new and came as bytes.
  let body: LoadedBody?
  let manager: ImageManager

  /// Stores the result in memory before any caller is answered, so that an answered caller finds it there.
  func storeInMemory() async {
    let wish = shared.wish
    let wantsResult = product.layers(in: wish).contains(.memory)
    let wantsOriginal = isMadeFromOriginal && body != nil && wish.originalStore.contains(.memory)
    guard wantsResult || wantsOriginal || isNew else { return }
    await add(in: .memory) {
      if isNew { await forgetOtherGenerations(in: .memory) }
      if wantsResult { await store(product.memoryEntry(for: request), request.resultKey, request.cache, .memory) }
      if wantsOriginal, let body, mayPutOriginalInMemory, claims(body, .memory) {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        await store(entry, request.originalKey, request.originalCache, .memory)
      }
    }.value
  }

  /// Starts storing the bytes on disk.
  ///
  /// Only callers that asked for it wait for the result.
  func startStoringOnDisk() -> Task<Void, Never>? {
    let wish = shared.wish
    let wantsResult =
      product.layers(in: wish).contains(.disk) && request.cache.layers(for: request.resultKey).contains(.disk)
    let wantsOriginal =
      isMadeFromOriginal && body != nil && wish.originalStore.contains(.disk)
      && request.originalCache.layers(for: request.originalKey).contains(.disk)
    // Entries from older bytes must go from the disk, even if the new ones are not stored.
    let forgets = isNew && request.layers.reach.contains(.disk)
    guard wantsResult || wantsOriginal || forgets else { return nil }
    let pending = wantsResult || wantsOriginal ? manager.pendingStores.add(heldBytes) : nil
    return add(in: .disk) {
      defer { withExtendedLifetime(pending) {} }
      if isNew { await forgetOtherGenerations(in: .disk) }
      if wantsOriginal, let body, claims(body, .disk) {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        await store(entry, request.originalKey, request.originalCache, .disk)
      }
      if wantsResult { await storeResult() }
    }
  }

  /// Starts storing the bytes in the store that several machines use; nil if nothing changes there.
  ///
  /// The store takes the claim of the run, and ends it when the bytes are there.
  func startSharing(by flight: FlightSlot?) -> Task<Void, Never>? {
    guard request.layers.reach.contains(.shared) else { return nil }
    let wish = shared.wish
    let mayLeave = product.record.mayBeShared
    let wantsResult = mayLeave && product.layers(in: wish).contains(.shared)
    let result = wantsResult ? product.sharedEntry(made: body, for: request) : nil
    let wantsOriginal = mayLeave && isMadeFromOriginal && body != nil && wish.originalStore.contains(.shared)
    let renews = isNew && body?.isPublished != true
    guard result != nil || wantsOriginal || renews else { return nil }
    let pending = manager.pendingStores.add(heldBytes)
    let claim = result == nil ? nil : flight?.take()
    return add(in: .shared) {
      defer { withExtendedLifetime(pending) {} }
      if renews { await renewShared(mayLeave: mayLeave) }
      if wantsOriginal, let body, claims(body, .shared) {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        await store(entry, request.originalKey, request.originalCache, .shared)
      }
      guard let result, isMadeFromOriginal || body.map({ claims($0, .shared) }) ?? true else { return }
      let isStored = await share(result)
      claim?.end(isStored ? .stored : .abandoned)
    }
  }

  /// Makes the shared store forget what was made from other bytes, or everything if the bytes must not be there.
  private func renewShared(mayLeave: Bool) async {
    if mayLeave {
      await forgetOtherGenerations(in: .shared)
    } else {
      await renewEntries(nil, generation: ContentGeneration.ofNothing, in: .shared)
    }
  }

  private func share(_ entry: CacheEntry) async -> Bool {
    var entry = entry
    do {
      if let bytes = entry.bytes, bytes.isInFile {
        let loaded = try await onStoringWorker(.reading, newStoringWork()) { try bytes.loaded() }
        entry = CacheEntry(bytes: loaded, record: entry.record)
      }
    } catch {
      report(error, of: request.resultKey)
      return false
    }
    return await store(entry, request.resultKey, request.cache, .shared)
  }

  private func add(in layer: CacheLayers, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    manager.storeLanes.add(turn, of: load, generation: product.record.generation, brings: isNew, in: layer, work)
  }

  /// True when the result is stored under another key than the original.
  private var isMadeFromOriginal: Bool { request.resultKey.isVariant }

  private var heldBytes: Int { product.heldBytes(besides: body) }

  private func claims(_ body: LoadedBody, _ layer: CacheLayers) -> Bool {
    body.claimStore(in: layer, of: isMadeFromOriginal ? request.originalCacheInstance : request.cacheInstance)
  }

  /// True when memory has no picture of the original: bytes never replace a picture, which can answer more requests.
  private var mayPutOriginalInMemory: Bool {
    request.originalCache.memoryEntry(for: request.originalKey)?.image == nil
  }

  private func storeResult() async {
    if !isMadeFromOriginal, let body, !claims(body, .disk) { return }
    do {
      let entry = try await product.diskEntry(for: self)
      await store(entry, request.resultKey, request.cache, .disk)
    } catch {
      report(error, of: request.resultKey)
    }
  }

  /// The context of one piece of work, which is never cancelled because its result is to be stored.
  func newStoringWork() -> WorkContext {
    WorkContext(
      limits: request.limits, context: request.context, cancellation: Cancellation(),
      clock: manager.configuration.clock)
  }

  func onStoringWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await manager.configuration.workers.run(
      at: manager.pendingStores.priority, terms(of: call, work), body)
  }

  @discardableResult
  private func store(
    _ entry: CacheEntry, _ key: CacheKey, _ cache: any ImageCache, _ layer: CacheLayers
  ) async -> Bool {
    do {
      try await manager.store(entry, for: key, in: cache, layer, within: ImageManager.time(toStoreIn: layer))
      report(.stored(key, layer))
      return true
    } catch {
      report(error, of: key)
      return false
    }
  }

  private func forgetOtherGenerations(in layer: CacheLayers) async {
    await renewEntries(product.record.response, generation: product.record.generation, in: layer)
  }
}

/// The parts of a result that can be stored.
protocol StorableParts: ResultParts {
  /// True unless the result is incomplete.
  var mayBeStored: Bool { get }

  /// The layers in which the callers want such a result.
  func layers(in wish: RunWish) -> CacheLayers

  /// The entry for the memory.
  func memoryEntry(for request: ResolvedRequest) -> CacheEntry

  /// The entry for a store that several machines use; nil if nothing of the result may go there.
  func sharedEntry(made body: LoadedBody?, for request: ResolvedRequest) -> CacheEntry?

  /// The entry for the disk, which may have to be encoded.
  func diskEntry(for job: StoreJob) async throws -> CacheEntry

  /// The memory that the result and the body hold until they are stored.
  func heldBytes(besides body: LoadedBody?) -> Int
}

/// Tracks the pictures that wait to be encoded for the disk, and raises their priority when they take too much memory.
///
/// Encoding comes after all decoding, so that callers get their pictures soon. But each waiting picture stays in
/// memory, and while loads continue without a break none of them would ever be encoded.
final class PendingStores: Sendable {
  /// A waiting store.
  final class Entry: Sendable {
    private let size: Int
    private let stores: PendingStores

    fileprivate init(_ size: Int, of stores: PendingStores) {
      self.size = size
      self.stores = stores
      stores.change(by: size)
    }

    deinit { stores.change(by: -size) }
  }

  /// The priority of encoding for the disk.
  let priority = LivePriority(.low)

  private let limit: Int
  private let bytes = Locked(0)

  init(limit: Int = 32 << 20) { self.limit = limit }

  /// Counts a store of this size until the returned entry is released.
  func add(_ size: Int) -> Entry { Entry(size, of: self) }

  fileprivate func change(by size: Int) {
    let isLong = bytes.withLock { bytes in
      bytes += size
      return bytes > limit
    }
    priority.set(isLong ? .veryHigh : .low)
  }
}
