/// Since when some work on an original has been under way.
final class StoreTurn: Sendable {
  let original: CacheKey
  let number: UInt64
  private let lanes: StoreLanes

  init(original: CacheKey, number: UInt64, lanes: StoreLanes) {
    self.original = original
    self.number = number
    self.lanes = lanes
  }

  deinit { lanes.end(original) }
}
