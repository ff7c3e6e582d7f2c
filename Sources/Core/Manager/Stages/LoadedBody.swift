/// A body that came whole, was checked and decrypted.
final class LoadedBody: Sendable {
  let bytes: ImageBytes
  let head: ResponseHead
  let metrics: TransferMetrics?
  let record: CacheRecord
  /// Since when it has been under way: an older body never overwrites a newer one.
  let turn: StoreTurn

  private struct Place: Hashable {
    let layer: UInt8
    let cache: PluginInstance
  }

  private let share: BodyRoom.Share?
  private let stored = Locked<Set<Place>>([])

  init(
    bytes: ImageBytes, head: ResponseHead, metrics: TransferMetrics?, record: CacheRecord, turn: StoreTurn,
    share: BodyRoom.Share?
  ) {
    self.bytes = bytes
    self.head = head
    self.metrics = metrics
    self.record = record
    self.turn = turn
    self.share = share
  }

  /// Lets go of the room that it took: it was decoded, or nobody will.
  func letGoOfRoom() { share?.letGo() }

  /// Whether nobody stored the original in this layer of a cache yet; who is told so must do it.
  func claimStore(in layer: CacheLayers, of cache: PluginInstance) -> Bool {
    stored.withLock { $0.insert(Place(layer: layer.rawValue, cache: cache)).inserted }
  }
}
