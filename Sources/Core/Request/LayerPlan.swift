/// Where a load looks and where it stores.
package struct LayerPlan: Hashable, Sendable {
  /// Where the finished picture is looked for.
  package var query: CacheLayers
  /// Where the picture is stored.
  package var store: CacheLayers
  /// Where the original of a variant is looked for.
  package var originalQuery: CacheLayers
  /// Where the original of a variant is stored.
  package var originalStore: CacheLayers
  /// Where anything made of the original may lie, whoever stored it.
  package var reach: CacheLayers

  package init(
    options: ImageOptions, context: ImageContext, isVariant: Bool, isCacheable: Bool, isStorable: Bool,
    diskUse: ImageOrigin.DiskUse
  ) {
    reach = !isCacheable ? [] : isStorable && diskUse != .nothing ? .all : .memory
    let originals = diskUse == .everything ? reach : reach.subtracting(.disk)
    let pictures = isVariant ? reach : originals
    let mayQuery = !options.contains(.fromLoaderOnly)
    query = mayQuery ? (context[.queryLayers] ?? .all).intersection(pictures) : []
    store = (context[.storeLayers] ?? .all).intersection(pictures)
    originalQuery = mayQuery && isVariant ? (context[.originalQueryLayers] ?? .disk).intersection(originals) : []
    originalStore = isVariant ? (context[.originalStoreLayers] ?? .disk).intersection(originals) : []
  }
}
