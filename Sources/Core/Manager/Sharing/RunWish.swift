/// What the callers of a run want of it together: the union, or the most of each.
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
