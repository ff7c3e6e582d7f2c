import EaselCore
import EaselHTTP
import EaselSupport
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// The result of a successful transfer.
enum Transferred: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTurn)
  // In a box of its own, so that a transfer takes little room in everyone who waits for it.
  indirect case notModified(Confirmation)

  /// A 304 response, by which the server confirms that nothing changed.
  struct Confirmation: Sendable {
    let head: ResponseHead
    let requested: Date
    let received: Date
    /// The time at which the transfer began.
    let turn: StoreTurn
    /// True when the request, as it was sent, forbids storing anything of the response.
    let isUnwanted: Bool
  }
}

/// A complete body, checked and decrypted.
final class LoadedBody: Sendable {
  let bytes: ImageBytes
  let head: ResponseHead
  let metrics: TransferMetrics?
  let record: CacheRecord
  /// The time at which the transfer began: an older body never overwrites a newer one.
  let turn: StoreTurn
  /// True when another process transferred the body.
  let isFromFleet: Bool

  private struct StoredIn: Hashable {
    let layer: UInt8
    let cache: PluginInstance
  }

  private let reservation: BodyRoom.Reservation?
  private let stored = Locked<Set<StoredIn>>([])
  private let published = Locked(false)

  init(
    bytes: ImageBytes, head: ResponseHead, metrics: TransferMetrics?, record: CacheRecord, turn: StoreTurn,
    reservation: BodyRoom.Reservation?, isFromFleet: Bool = false
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

/// A request and its response.
struct AnsweredRequest: Sendable {
  let request: LoadRequest
  let head: ResponseHead
  let metrics: TransferMetrics?
  let requested: Date
  let turn: StoreTurn

  func record(for resolved: ResolvedRequest, generation: UInt64, received: Date) -> CacheRecord {
    let response = head.status.map { status in
      var response = ResponseRecord(
        status: status, headers: head.headers.endToEnd, requested: requested, received: received,
        varyingFields: HTTPCacheRules.varyingFields(in: head.headers, of: varyingFields(of: resolved)))
      if !head.redirects.isEmpty { response.redirectedURL = head.url }
      response.redirectsExpire = HTTPCacheRules.end(of: head.redirects, requested: requested, received: received)
      if request.isAuthorized || !head.fieldsSentOnce.isEmpty { response.noteAuthorization() }
      response.isUnwanted = resolved.cachePolicy == .http && request.forbidsStoring(head)
      return response
    }
    return CacheRecord(
      stored: received, generation: generation, mimeType: head.mimeType, response: response,
      extendedData: resolved.context[.extendedData])
  }

  /// The request fields that the response may vary with, as they were sent.
  ///
  /// A modifier with an identity describes what it sends, and the key contains that identity. A modifier without one
  /// may send other fields the next time. Its fields are recorded so that no later request matches them, and the
  /// response is never used again.
  private func varyingFields(of resolved: ResolvedRequest) -> HTTPHeaders {
    var fields = resolved.neutralHeaders
    // The fields that the loader adds next time are unknown, and those that it added may be secret.
    for field in head.fieldsSentOnce.fields { fields[field.name] = "" }
    guard let modifier = resolved.requestModifier, modifier.cacheIdentity == .instance else { return fields }
    let known = resolved.headers
    for name in (request.headers.fields + known.fields).map(\.name) where request.headers[name] != known[name] {
      fields[name] = request.headers[name] ?? ""
    }
    return fields
  }
}

extension LoadRequest {
  /// True when the request that led to this head forbids storing the response.
  ///
  /// The request is the one that was sent: a modifier and the loader may have added the directive.
  func forbidsStoring(_ head: ResponseHead) -> Bool {
    let name = "Cache-Control"
    return CacheControl(headers.values(of: name) + head.sentFields.values(of: name)).has("no-store")
  }
}

extension ResponseHead {
  /// The fields that the loader added to this one request; it sends others of its own with every request.
  fileprivate var fieldsSentOnce: HTTPHeaders { sentFields.filtered { !HTTPHeaders.isSame($0, "Cache-Control") } }
}
