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
    guard let modifier = resolved.requestModifier, modifier.cacheIdentity == nil else { return fields }
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

/// Computes a number from the content of a body: equal bytes have the same generation in every process.
package enum ContentGeneration {
  /// The generation of no bytes at all.
  static let ofNothing: UInt64 = 0

  package static func of(_ bytes: ImageBytes) throws -> UInt64 {
    var state = UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
    if bytes.withBytesInMemory({ state = mix($0, into: state) }) != nil { return named(state) }
    // A file is read in windows, because it may be too large for memory.
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { window.deallocate() }
    var offset = 0
    while offset < bytes.count {
      let count = try bytes.read(at: offset, into: window)
      state = mix(UnsafeRawBufferPointer(rebasing: window[..<count]), into: state)
      offset += count
    }
    return named(state)
  }

  /// The generation of a picture that came without bytes.
  ///
  /// All frames of two moving pictures cannot be compared, so each moving picture gets a unique generation.
  static func of(_ image: Image) -> UInt64 {
    guard !image.isAnimated else { return .random(in: 1 ... .max) }
    let bitmap = image.bitmap
    var state = UInt64(bitmap.width) << 32 ^ UInt64(bitmap.height)
    state = fold(state ^ UInt64(bitmap.format.layout.rawValue) << 8 ^ UInt64(bitmap.format.alpha.rawValue))
    state = fold(state ^ UInt64(image.metadata.orientation.rawValue))
    image.metadata.iccProfile?.withUnsafeBytes { state = mix($0, into: state) }
    if let color = image.metadata.color { state = mix(color.fingerprint, into: state) }
    state = mix(bitmap, into: state)
    if let map = image.metadata.gainMap {
      state = fold(state ^ UInt64(map.bitmap.width) << 32 ^ UInt64(map.bitmap.height))
      state = mix(map.bitmap, into: mix(map.formula.fingerprint, into: state))
    }
    return named(state)
  }

  private static func mix(_ bitmap: Bitmap, into start: UInt64) -> UInt64 {
    var state = start
    let rowBytes = bitmap.width * bitmap.format.bytesPerPixel
    bitmap.withUnsafeBytes { bytes in
      for row in 0..<bitmap.height {
        let start = row * bitmap.bytesPerRow
        state = mix(UnsafeRawBufferPointer(rebasing: bytes[start..<start + rowBytes]), into: state)
      }
    }
    return state
  }

  private static func mix(_ words: [UInt64], into start: UInt64) -> UInt64 {
    words.reduce(start) { fold($0 ^ $1) }
  }

  static func named(_ state: UInt64) -> UInt64 { state == ofNothing ? 1 : state }

  /// Mixes in eight bytes at a time, each by a full-width product.
  static func mix(_ bytes: UnsafeRawBufferPointer, into start: UInt64) -> UInt64 {
    var state = start
    var offset = 0
    while offset + 8 <= bytes.count {
      state = fold(state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return fold(state ^ tail)
  }

  private static func fold(_ word: UInt64) -> UInt64 {
    let product = (word ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(by: 0xe703_7ed1_a0b4_28db)
    return product.high ^ product.low
  }
}
