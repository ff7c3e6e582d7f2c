import EaselCore
import EaselSupport
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// The result of a successful transfer.
enum TransferResult: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTicket)
  // In a box of its own, so that a transfer takes little room in everyone who waits for it.
  indirect case notModified(Confirmation)

  /// A 304 response, by which the server confirms that nothing changed.
  struct Confirmation: Sendable {
    let head: ResponseHead
    let requested: Date
    let received: Date
    /// The time at which the transfer began.
    let turn: StoreTicket
    /// True when the fields that were sent forbid storing the response.
    let isUnwanted: Bool
  }
}

/// A complete body, checked and decrypted.
final class LoadedBody: Sendable {
  let bytes: ImageBytes
  let head: ResponseHead
  let metrics: LoadResult.Metrics?
  let record: CacheRecord
  /// The time at which the transfer began: an older body never overwrites a newer one.
  let turn: StoreTicket
  /// True when another process transferred the body.
  let isFromFleet: Bool

  private struct StoredIn: Hashable {
    let layer: UInt8
    let cache: PluginInstance
  }

  private let reservation: BodyMemory.Reservation?
  private let stored = Locked<Set<StoredIn>>([])
  private let published = Locked(false)

  init(
    bytes: ImageBytes, head: ResponseHead, metrics: LoadResult.Metrics?, record: CacheRecord, turn: StoreTicket,
    reservation: BodyMemory.Reservation?, isFromFleet: Bool = false
  ) {
    self.isFromFleet = isFromFleet
    self.bytes = bytes
    self.head = head
    self.metrics = metrics
    self.record = record
    self.turn = turn
    self.reservation = reservation
  }

  /// True when the shared store knows these bytes as the newest, or is about to.
  var isPublished: Bool { isFromFleet || published.withLock { $0 } }

  /// Notes that the body goes to the shared store.
  func notePublished() { published.withLock { $0 = true } }

  /// Gives back the room of the body, after it was decoded or when it will not be.
  func releaseRoom() { reservation?.letGo() }

  /// Returns true for the first caller per layer and cache, which must then store the original.
  func claimStore(in layer: CacheLayers, of cache: PluginInstance) -> Bool {
    stored.withLock { $0.insert(StoredIn(layer: layer.rawValue, cache: cache)).inserted }
  }
}

extension ImageEvent.Source {
  /// The source of what a transfer brought.
  init(_ transferred: TransferResult, for request: ResolvedRequest) {
    if case .body(let body) = transferred, body.isFromFleet {
      self = .shared
    } else {
      self = request.bytesAtHand == nil ? .network : .bytes
    }
  }
}
