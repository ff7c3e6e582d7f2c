import EaselCore
import EaselSupport
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// The result of a successful transfer.
enum TransferResult: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTicket)
  // Boxed, so that each caller that waits for a transfer needs little room for the result.
  indirect case notModified(Confirmation)

  /// A 304 response, with which the server confirms that nothing changed.
  struct Confirmation: Sendable {
    let head: ResponseHead
    let requested: Date
    let received: Date
    /// The time at which the transfer began.
    let turn: StoreTicket
    /// True when the request that was sent forbids storing the response.
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

  /// True when the shared store has these bytes as the newest, or soon will.
  var isPublished: Bool { isFromFleet || published.withLock { $0 } }

  /// Notes that the body is being stored in the shared store.
  func notePublished() { published.withLock { $0 = true } }

  /// Gives the room of the body back, after the body was decoded or if it will not be.
  func releaseRoom() { reservation?.letGo() }

  /// Returns true for the first caller per layer and cache; that caller must then store the original.
  func claimStore(in layer: CacheLayers, of cache: PluginInstance) -> Bool {
    stored.withLock { $0.insert(StoredIn(layer: layer.rawValue, cache: cache)).inserted }
  }
}

extension ImageEvent.Source {
  /// The source of a transfer's result.
  init(_ transferred: TransferResult, for request: ResolvedRequest) {
    if case .body(let body) = transferred, body.isFromFleet {
      self = .shared
    } else {
      self = request.bytesAtHand == nil ? .network : .bytes
    }
  }
}
