import EaselCore

/// The cache layers in which a load looks up and stores entries.
package struct LayerPlan: Hashable, Sendable {
  /// The layers in which the finished picture is looked up.
  package var query: CacheLayers
  /// The layers in which the finished picture is stored.
  package var store: CacheLayers
  /// The layers in which the original of a variant is looked up.
  package var originalQuery: CacheLayers
  /// The layers in which the original of a variant is stored.
  package var originalStore: CacheLayers
  /// The layers in which encoded bytes are looked up.
  package var encodedQuery: CacheLayers
  /// The layers in which encoded bytes are stored.
  package var encodedStore: CacheLayers
  /// The layers in which the bytes of the original are looked up if a request needs only these bytes.
  package var queryOfBytes: CacheLayers
  /// The layers in which the bytes of the original are stored if a request needs only these bytes.
  package var storeOfBytes: CacheLayers
  /// The layers that may have anything made from the original, including results of other loads.
  package var reach: CacheLayers
  /// The layers that may have the original itself.
  package var originals: CacheLayers

  package init(
    options: ImageOptions, context: ImageContext, isVariant: Bool, isCacheable: Bool, isStorable: Bool,
    diskUse: ImageOrigin.DiskUse, isSharable: Bool = false
  ) {
    let lasting: CacheLayers = isSharable ? .all : .local
    reach = !isCacheable ? [] : isStorable && diskUse != .nothing ? lasting : .memory
    originals = diskUse == .everything ? reach : reach.subtracting(.disk)
    // Pixels never go to other machines, because they would have to be encoded and decoded again.
    let pictures = isVariant ? reach.subtracting(.shared) : originals
    let mayQuery = !options.contains(.fromLoaderOnly)
    query = mayQuery ? (context[.queryLayers] ?? .all).intersection(pictures) : []
    store = (context[.storeLayers] ?? .all).intersection(pictures)
    originalQuery =
      mayQuery && isVariant ? (context[.originalQueryLayers] ?? [.disk, .shared]).intersection(originals) : []
    originalStore = isVariant ? (context[.originalStoreLayers] ?? [.disk, .shared]).intersection(originals) : []
    // Encoded bytes do not tell whether the picture moves.
    let mayFindEncoded = mayQuery && !options.contains(.requireAnimated)
    encodedQuery = mayFindEncoded ? (context[.queryLayers] ?? .all).intersection(reach) : []
    encodedStore = (context[.storeLayers] ?? .all).intersection(reach)
    queryOfBytes = isVariant ? originalQuery : query
    storeOfBytes = isVariant ? originalStore : store.intersection([.disk, .shared])
  }
}
