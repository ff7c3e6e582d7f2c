import EaselCore
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// The life of a request for a picture: the picture is decoded while bytes arrive, transformed and stored.
struct PictureRun: ResultRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let turn: StoreTurn
  let shared: SharedRun

  /// Finds the picture in a cache, or makes it from a cached original.
  @inline(never)
  func findInCaches() async throws -> Picture? {
    if let picture = try await findPicture() { return picture }
    if request.isVariant, let picture = try await makeFromCachedOriginal() { return picture }
    report(.cacheMiss)
    return nil
  }

  func announce(_ cached: Picture) {
    if request.options.contains(.refreshCached) { shared.emit(.cached(cached.image)) }
  }

  func make(from transfer: JoinedRun<Transferred>) async throws -> Picture {
    let image = try await makePixels(from: .transfer(transfer))
    return try await store(image, from: transfer.value)
  }

  static func table(of manager: ImageManager) -> ResultRuns<PictureParts> { manager.pictureRuns }

  /// Stores a loaded picture under its own key, and the original of a variant under the key of the original.
  @inline(never)
  private func store(_ image: Image, from transferred: Transferred) async throws -> Picture {
    let picture = Picture(image, loadedAs: transferred, for: request, now: manager.configuration.clock.date)
    switch transferred {
    case .notModified: return picture
    case .image(_, _, let turn): return try await store(picture, broughtAt: turn, isNew: true, body: nil)
    case .body(let body): return try await store(picture, broughtAt: body.turn, isNew: true, body: body)
    }
  }
}

/// Finding a picture in the caches. What follows a hit is a function of its own: a task keeps the room of every function
/// that it has called, and a load that misses keeps it for as long as it waits for its loader.
extension PictureRun {
  private func findPicture() async throws -> Picture? {
    let found = try await lookUp(
      request.variantKey, in: request.cache, request.cacheInstance, layers: request.layers.query)
    guard let found else { return nil }
    return try await picture(of: found)
  }

  @inline(never)
  private func picture(of found: CacheHit) async throws -> Picture? {
    guard let hit = try await trusted(found, for: request.variantKey, in: request.cache) else { return nil }
    if let image = hit.entry.image {
      guard request.accepts(image) else { return nil }
      return Picture(image, from: hit.layer, bytes: hit.entry.bytes, record: hit.entry.record)
    }
    guard let bytes = hit.entry.bytes else { return nil }
    do {
      let image = try await decodeStored(bytes, hit.entry.record)
      guard request.accepts(image) else { return nil }
      let picture = Picture(image, from: hit.layer, bytes: bytes, record: hit.entry.record)
      if !image.traits.contains(.partial) {
        await storeJob(for: picture, broughtAt: turn, isNew: false, body: nil).storeInMemory()
        if hit.layer == .shared {
          var filled = picture
          filled.stores += fillDisk(hit.entry, for: request.variantKey, in: request.cache, request.layers.store)
          return filled
        }
      }
      return picture
    } catch {
      try await giveUpOnStored(request.variantKey, in: request.cache, hit.layer, error)
      return nil
    }
  }

  @inline(never)
  private func makeFromCachedOriginal() async throws -> Picture? {
    guard let hit = try await findOriginal(mayBePicture: { _ in true }) else { return nil }
    return try await picture(from: hit)
  }

  @inline(never)
  private func picture(from hit: OriginalHit) async throws -> Picture? {
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

  /// Decodes stored bytes.
  ///
  /// An original is decoded with the options of the request; a variant holds finished pixels.
  private func decodeStored(_ bytes: ImageBytes, _ record: CacheRecord) async throws -> Image {
    guard request.isVariant else { return try await makePixels(from: .cached(bytes, record)) }
    let work = newWork(response: record.response?.head(at: manager.configuration.clock.date))
    let started = manager.configuration.clock.uptime
    var image = try await onWorker(.decoder, work) { [manager, request] in
      let coder = try manager.coder(reading: bytes, for: request)
      let options = request.decodeOptions.reading(record.picture, isVariant: true)
      return try request.checks.decode(bytes, by: coder, work: work) { _ in options }
    }
    report(.decoded(image.size, manager.configuration.clock.uptime - started))
    if let known = record.picture {
      known.restore(&image)
      return image
    }
    // The entry was stored by a version that did not yet keep records of pictures.
    if request.decodeOptions.makesSmaller { image.traits.insert(.thumbnail) }
    if !request.transformer.isIdentity && !request.keepsReceivedPixels(image) { image.traits.insert(.transformed) }
    return image
  }
}
