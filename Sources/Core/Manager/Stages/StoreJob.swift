/// Stores one picture in the caches.
struct StoreJob: ManagerRun {
  let picture: Picture
  /// The time at which the transfer of the bytes began.
  let turn: StoreTurn
  /// The time at which the load began.
  let load: StoreTurn
  let request: ResolvedRequest
  let shared: SharedRun
  /// True when the picture came from a loader and not from a cache.
  let isNew: Bool
  /// The body that the picture was made from, if it is new and came as bytes.
  let body: LoadedBody?
  let manager: ImageManager

  /// Stores the pixels in memory before any caller is answered, so that an answered caller finds them there.
  func storeInMemory() async {
    let wantsPicture = shared.wish.store.contains(.memory)
    let wantsOriginal = request.isVariant && body != nil && shared.wish.originalStore.contains(.memory)
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

  /// Starts storing the bytes on disk.
  ///
  /// Only callers that asked for it wait for the result.
  func startStoringOnDisk() -> Task<Void, Never>? {
    let wish = shared.wish
    let wantsPicture =
      wish.store.contains(.disk) && request.cache.layers(for: request.variantKey).contains(.disk)
    let wantsOriginal =
      request.isVariant && body != nil && wish.originalStore.contains(.disk)
      && request.originalCache.layers(for: request.originalKey).contains(.disk)
    // Entries from older bytes must go from the disk, even if the new ones are not stored.
    let forgets = isNew && request.layers.reach.contains(.disk)
    guard wantsPicture || wantsOriginal || forgets else { return nil }
    let pending = wantsPicture || wantsOriginal ? manager.pendingStores.add(heldBytes) : nil
    return add(isDisk: true) {
      defer { withExtendedLifetime(pending) {} }
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
      turn, of: load, generation: picture.record.generation, brings: isNew, isDisk: isDisk, work)
  }

  private var heldBytes: Int { picture.image.memoryCost + ((body?.bytes ?? picture.bytes)?.memoryCost ?? 0) }

  private func claims(_ body: LoadedBody, _ layer: CacheLayers) -> Bool {
    body.claimStore(in: layer, of: request.isVariant ? request.originalCacheInstance : request.cacheInstance)
  }

  /// True when memory has no picture of the original: bytes never replace a picture, which can answer more requests.
  private var mayPutOriginalInMemory: Bool {
    request.originalCache.memoryEntry(for: request.originalKey)?.image == nil
  }

  private func storePicture() async {
    if !request.isVariant, let body, !claims(body, .disk) { return }
    do {
      let entry = try await entryForDisk()
      await store(entry, request.variantKey, request.cache, .disk)
    } catch {
      report(error, of: request.variantKey)
    }
  }

  /// Makes the entry for the disk.
  ///
  /// It holds the serializer's bytes if there is a serializer, or the received bytes if they hold these pixels, or the
  /// pixels encoded without loss.
  private func entryForDisk() async throws -> CacheEntry {
    if let serializer = request.cacheSerializer {
      let work = newStoringWork()
      let entry = try await onStoringWorker(.serializer, work) { try serializedEntry(serializer, work) }
      if let entry { return entry }
    }
    if let bytes = picture.bytes { return CacheEntry(bytes: bytes, record: picture.record) }
    // The key of an original holds the received bytes. Only a picture that came without bytes is encoded there.
    if !request.isVariant, let body { return CacheEntry(bytes: body.bytes, record: picture.record) }
    let work = newStoringWork()
    return try await onStoringWorker(.encoder, work) { try encodedEntry(work) }
  }

  private func serializedEntry(_ serializer: any CacheSerializer, _ work: WorkContext) throws -> CacheEntry? {
    guard let bytes = try serializer.serialize(picture.image, received: picture.bytes, work: work) else { return nil }
    var record = picture.record
    // A serializer that returns the received bytes has changed nothing.
    if try picture.bytes == nil || ContentGeneration.of(bytes) != record.generation {
      record.mimeType = manager.format(of: bytes, by: request.coder, work: work)?.mimeType
      record.picture = PictureRecord(of: picture.image, hasFinishedPixels: false)
    }
    return CacheEntry(bytes: bytes, record: record)
  }

  private func encodedEntry(_ work: WorkContext) throws -> CacheEntry {
    var record = picture.record
    let (bytes, format) = try LosslessEncoding.bytes(
      of: picture.image, by: request.coder, else: manager.configuration.coder, work: work)
    record.mimeType = format.mimeType
    record.picture = PictureRecord(of: picture.image, hasFinishedPixels: true)
    return CacheEntry(bytes: bytes, record: record)
  }

  /// The context of one piece of work, which is never cancelled because its result is to be stored.
  private func newStoringWork() -> WorkContext {
    WorkContext(
      limits: request.limits, context: request.context, cancellation: Cancellation(),
      clock: manager.configuration.clock)
  }

  private func onStoringWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await manager.configuration.workers.run(
      at: manager.pendingStores.priority, terms(of: call, work), body)
  }

  private func store(_ entry: CacheEntry, _ key: CacheKey, _ cache: any ImageCache, _ layer: CacheLayers) async {
    do {
      try await manager.call(cache, about: key, within: ImageManager.time(toStoreIn: layer)) {
        try await cache.store(entry, for: key, in: layer)
      }
      shared.report(.stored(key, layer))
    } catch {
      report(error, of: key)
    }
  }

  private func forgetOtherGenerations(in layer: CacheLayers) async {
    await renewEntries(picture.record.response, generation: picture.record.generation, in: layer)
  }
}

/// Encodes pixels without loss.
enum LosslessEncoding {
  /// The formats and their compression levels.
  ///
  /// A cache writes far more pictures than anyone views. WebP at its lowest effort is smaller than PNG at its highest,
  /// in a tenth of the time.
  private static let formats: [(format: ImageFormat, level: Int)] = [(.png, 2), (.webp, 0)]

  /// Encodes as PNG or lossless WebP, whichever is smaller.
  ///
  /// If neither is available, the coder's own format is used.
  static func bytes(
    of image: Image, by coder: any ImageCoder, else registry: CoderRegistry, work: WorkContext
  ) throws -> (bytes: ImageBytes, format: ImageFormat) {
    var options = EncodeOptions()
    options.lossless = true
    options.quality = 1
    options.keepsMetadata = true
    var smallest: (bytes: ImageBytes, format: ImageFormat)?
    for (format, level) in formats where holdsEveryBit(of: image, format) {
      options.compressionLevel = level
      guard let encoder = [coder, registry].first(where: { $0.canEncode(format) }) else { continue }
      do {
        let bytes = try encoder.encode(image, as: format, options: options, work: work)
        if bytes.count < smallest?.bytes.count ?? .max { smallest = (bytes, format) }
      } catch let error as ImageError where error.code == .encodeFailed && smallest != nil {
        // WebP cannot hold long sides, and one format is enough.
        continue
      }
    }
    if let smallest { return smallest }
    let own = ([image.format].compactMap { $0 } + coder.formats).first { coder.canEncode($0) }
    guard let own else {
      throw ImageError(.encodeFailed, "No registered coder writes PNG or lossless WebP, which the disk cache needs.")
    }
    return (try coder.encode(image, as: own, options: options, work: work), own)
  }

  private static func holdsEveryBit(of image: Image, _ format: ImageFormat) -> Bool {
    format != .webp || image.bitmap.format.layout.bitsPerComponent == 8
  }
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
