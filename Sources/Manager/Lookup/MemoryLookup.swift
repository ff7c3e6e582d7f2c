import EaselCore
import EaselHTTP

/// Looks in memory, on the caller's thread without waiting.
enum MemoryLookup {
  /// The finished picture, if it may be used without asking the server.
  static func picture(_ request: ResolvedRequest, by manager: ImageManager) -> FoundInMemory? {
    guard request.layers.query.contains(.memory), !request.options.contains(.refreshCached),
      let entry = request.cache.memoryEntry(for: request.variantKey), let image = entry.image,
      entry.belongs(to: request.variantKey),
      // Reading the record copies it, so it is read only when the answer depends on it.
      request.accepts(image),
      request.cachePolicy != .http || request.cacheUse.isFresh(entry.record, by: manager.configuration.clock)
    else { return nil }
    return FoundInMemory(image: image, entry: entry)
  }

  /// The encoded bytes, if they may be used without asking the server.
  static func encoded(_ request: ResolvedRequest, by manager: ImageManager) -> EncodedImage? {
    guard request.layers.encodedQuery.contains(.memory), !request.options.contains(.refreshCached),
      request.form != nil, let entry = request.cache.memoryEntry(for: request.resultKey),
      entry.belongs(to: request.resultKey),
      request.cachePolicy != .http || request.cacheUse.isFresh(entry.record, by: manager.configuration.clock)
    else { return nil }
    return EncodedImage(entry, for: request, by: manager.configuration.clock)
  }
}

/// A picture in memory that may be used.
struct FoundInMemory {
  let image: Image
  let entry: CacheEntry

  var product: Product {
    Product(
      ProductParts(content: .picture(image, bytes: entry.bytes), source: .memory, record: entry.record))
  }
}
