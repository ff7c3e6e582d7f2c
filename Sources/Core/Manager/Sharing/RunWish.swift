/// The combined wishes of the callers of a run: the union of their layers, and previews if anyone wants them.
struct RunWish: Sendable {
  var store: CacheLayers = []
  var originalStore: CacheLayers = []
  var wantsPreviews = false

  mutating func formUnion(_ other: RunWish) {
    store.formUnion(other.store)
    originalStore.formUnion(other.originalStore)
    wantsPreviews = wantsPreviews || other.wantsPreviews
  }
}

/// Keeps the combined wishes of a run up to date while callers come and go.
struct WishCount: Sendable {
  private var storeInMemory = 0
  private var storeOnDisk = 0
  private var originalsInMemory = 0
  private var originalsOnDisk = 0
  private var previews = 0

  mutating func add(_ wish: RunWish) { count(wish, 1) }

  mutating func remove(_ wish: RunWish) { count(wish, -1) }

  private mutating func count(_ wish: RunWish, _ step: Int) {
    if wish.store.contains(.memory) { storeInMemory += step }
    if wish.store.contains(.disk) { storeOnDisk += step }
    if wish.originalStore.contains(.memory) { originalsInMemory += step }
    if wish.originalStore.contains(.disk) { originalsOnDisk += step }
    if wish.wantsPreviews { previews += step }
  }

  /// The union of all wishes.
  var wish: RunWish {
    RunWish(
      store: Self.layers(storeInMemory, storeOnDisk), originalStore: Self.layers(originalsInMemory, originalsOnDisk),
      wantsPreviews: previews > 0)
  }

  private static func layers(_ memory: Int, _ disk: Int) -> CacheLayers {
    var layers: CacheLayers = []
    if memory > 0 { layers.insert(.memory) }
    if disk > 0 { layers.insert(.disk) }
    return layers
  }
}
