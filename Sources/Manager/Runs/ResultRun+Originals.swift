import EaselCore

/// Finding what a result is made from in the caches.
extension ResultRun {
  /// Finds the original in a cache.
  ///
  /// A bitmap in memory serves only requests that begin with a full decode, and only if `mayBePicture` allows it; other
  /// requests need the bytes.
  func findOriginal(mayBePicture: (Image) -> Bool) async throws -> OriginalHit? {
    var layers = request.layers.queryOfBytes
    while let found = try await lookUp(
      request.originalKey, in: request.originalCache, request.originalCacheInstance, layers: layers)
    {
      layers.subtract(found.layer)
      guard let hit = try await trusted(found, for: request.originalKey, in: request.originalCache) else { continue }
      let record = hit.entry.record
      if let image = hit.entry.image, mayBePicture(image), request.decodesPlainly,
        request.needsEveryPixel(of: image)
      {
        let source = PixelSource.image(image, generation: record.generation)
        return OriginalHit(source: source, layer: hit.layer, bytes: hit.entry.bytes, record: record)
      }
      if let bytes = hit.entry.bytes {
        if hit.layer == .shared {
          _ = fillDisk(hit.entry, for: request.originalKey, in: request.originalCache, request.layers.storeOfBytes)
        }
        return OriginalHit(source: .cached(bytes, record), layer: hit.layer, bytes: bytes, record: record)
      }
    }
    return nil
  }

  /// Removes an entry that cannot be decoded, so that the next lookup misses it.
  func giveUpOnStored(
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

/// An original that was found in a cache.
struct OriginalHit {
  let source: PixelSource
  let layer: CacheLayers
  let bytes: ImageBytes?
  let record: CacheRecord
}
