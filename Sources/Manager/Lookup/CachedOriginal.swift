import EaselCore

/// An original that was found in a cache.
struct CachedOriginal: Sendable {
  let source: PixelSource
  let layer: CacheLayers
  let bytes: ImageBytes?
  let record: CacheRecord
}
