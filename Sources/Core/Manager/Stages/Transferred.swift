import FoundationEssentials

/// How a transfer ended well.
enum Transferred: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTurn)
  case notModified(Confirmation)

  /// The server's word that nothing changed.
  struct Confirmation: Sendable {
    let head: ResponseHead
    let requested: Date
    let received: Date
    /// Since when it has been under way.
    let turn: StoreTurn
  }
}

/// A body that came whole, was checked and decrypted.
final class LoadedBody: Sendable {
  let bytes: ImageBytes
  let head: ResponseHead
  let metrics: TransferMetrics?
  let record: CacheRecord
  /// Since when it has been under way: an older body never overwrites a newer one.
  let turn: StoreTurn

  private struct StoredIn: Hashable {
    let layer: UInt8
    let cache: PluginInstance
  }

  private let reservation: BodyRoom.Reservation?
  private let stored = Locked<Set<StoredIn>>([])

  init(
    bytes: ImageBytes, head: ResponseHead, metrics: TransferMetrics?, record: CacheRecord, turn: StoreTurn,
    reservation: BodyRoom.Reservation?
  ) {
    self.bytes = bytes
    self.head = head
    self.metrics = metrics
    self.record = record
    self.turn = turn
    self.reservation = reservation
  }

  /// Lets go of the room that it took: it was decoded, or nobody will.
  func letGoOfRoom() { reservation?.letGo() }

  /// Whether nobody stored the original in this layer of a cache yet; who is told so must do it.
  func claimStore(in layer: CacheLayers, of cache: PluginInstance) -> Bool {
    stored.withLock { $0.insert(StoredIn(layer: layer.rawValue, cache: cache)).inserted }
  }
}

/// One request and what came back.
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
      return response
    }
    return CacheRecord(
      stored: received, generation: generation, mimeType: head.mimeType, response: response,
      extendedData: resolved.context[.extendedData])
  }

  /// The fields that the response may vary with, as they were sent where that cannot be told beforehand.
  ///
  /// A modifier with an identity names what it sends, and the key tells it from others. One without may send something
  /// else the next time: its fields are unlike those of every later request, so that the response answers none.
  private func varyingFields(of resolved: ResolvedRequest) -> HTTPHeaders {
    var fields = resolved.neutralHeaders
    // Nobody knows what the loader will add the next time, and what it did add may be secret.
    for field in head.sentFields.fields { fields[field.name] = "" }
    guard let modifier = resolved.requestModifier, modifier.cacheIdentity == nil else { return fields }
    let known = resolved.headers
    for name in (request.headers.fields + known.fields).map(\.name) where request.headers[name] != known[name] {
      fields[name] = request.headers[name] ?? ""
    }
    return fields
  }
}
