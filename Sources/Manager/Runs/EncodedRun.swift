import EaselCore
import EaselTiers

/// The life of a request for encoded bytes: the bytes are found, passed through from the original, or made by decoding,
/// transforming and encoding.
struct EncodedRun: ResultRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let turn: StoreTurn
  let shared: SharedRun
  let flight: FlightSlot?

  init(manager: ImageManager, request: ResolvedRequest, turn: StoreTurn, shared: SharedRun) {
    self.manager = manager
    self.request = request
    self.turn = turn
    self.shared = shared
    // A load by a plug-in claims nothing: those who wait for the plug-in's own claim must not wait for this one.
    let mayClaim = manager.flights != nil && request.mayClaimVariant && shared.isOutermost
    flight = mayClaim ? FlightSlot() : nil
  }

  static func table(of manager: ImageManager) -> ResultRuns<EncodedParts> { manager.encodedRuns }

  /// Finds the bytes in a cache, or makes them from a picture or an original in a cache.
  @inline(never)
  func findInCaches() async throws -> EncodedPicture? {
    if let encoded = try await findEncoded() { return encoded }
    if let encoded = try await claimOrWait() { return encoded }
    if let encoded = try await makeFromPictureInMemory() { return encoded }
    if let encoded = try await makeFromCachedOriginal() { return encoded }
    report(.cacheMiss)
    return nil
  }

  func make(from transfer: JoinedRun<Transferred>) async throws -> EncodedPicture {
    let encoded = try await makeBytes(from: .pixels(.transfer(transfer)))
    let transferred = try await transfer.value
    let source = ImageSource(transferred, for: request)
    switch transferred {
    case .body(let body):
      var result = EncodedPicture(encoded, from: source, body.record, request)
      (result.head, result.metrics) = (body.head, body.metrics)
      return try await store(result, broughtAt: body.turn, isNew: true, body: body)
    case .image(_, let generation, let turn):
      let record = CacheRecord(stored: manager.configuration.clock.date, generation: generation)
      let result = EncodedPicture(encoded, from: source, record, request)
      return try await store(result, broughtAt: turn, isNew: true, body: nil)
    case .notModified(let confirmation):
      throw ImageError.unexpectedNotModified(confirmation.head, subject: request.subject)
    }
  }

  private func findEncoded() async throws -> EncodedPicture? {
    let found = try await lookUpAlone(request.resultKey, in: request.cache, layers: request.layers.encodedQuery)
    guard let found, let hit = try await trusted(found, for: request.resultKey, in: request.cache) else { return nil }
    return try await result(of: hit)
  }

  /// Claims the making of the bytes; returns them if another process has made them meanwhile.
  private func claimOrWait() async throws -> EncodedPicture? {
    // For what will not be loaded, such as a URL that has just failed, no other machine may have to wait.
    guard let flight, shared.mayAskSharedStore, (try? manager.refuseWhatMustNotLoad(request)) != nil else { return nil }
    switch try await claim(.variant, request.resultKey) {
    case .goAhead, .unanswered, .unasked: return nil
    case .failed(let error): throw remember(error)
    case .yours(let claim):
      flight.put(claim)
      return nil
    case .ready(let entry):
      let hit = CacheHit(entry, in: .shared)
      guard belongs(entry, to: request.resultKey, in: .shared), request.matches(entry.record),
        let trusted = try await trusted(hit, for: request.resultKey, in: request.cache)
      else { return nil }
      report(.cacheHit(.shared))
      return try await result(of: trusted)
    }
  }

  /// The result that a cache had; nil if it cannot be used.
  private func result(of hit: CacheHit) async throws -> EncodedPicture? {
    guard let bytes = hit.entry.bytes, let size = hit.entry.record.encodedSize, let type = hit.entry.record.mimeType
    else { return nil }
    do {
      let wantsMemory = hit.layer != .memory && shared.wish.encodedStore.contains(.memory)
      // The bytes of a file go into memory, where the next caller finds them.
      let mustBeRead = wantsMemory && bytes.isInFile
      let ready = mustBeRead ? try await onWorker(.reading, newWork()) { try bytes.loaded() } : bytes
      let parts = EncodedParts(
        encoded: EncodedBytes(bytes: ready, format: ImageFormat(mimeType: type), size: size),
        source: ImageSource(hit.layer), record: hit.entry.record)
      var result = EncodedPicture(parts)
      if wantsMemory { await storeJob(for: result, broughtAt: turn, isNew: false, body: nil).storeInMemory() }
      if hit.layer == .shared {
        result.stores += fillDisk(hit.entry, for: request.resultKey, in: request.cache, shared.wish.encodedStore)
      }
      return result
    } catch {
      try Task.checkCancellation()
      report(error, of: request.resultKey)
      return nil
    }
  }

  /// Encodes the finished picture if it is in memory, so that nothing must be decoded.
  private func makeFromPictureInMemory() async throws -> EncodedPicture? {
    guard let found = manager.findInMemory(request), !mayPassThrough(found.image),
      !found.image.traits.contains(.lostGainMap)
    else { return nil }
    report(.cacheHit(.memory))
    let encoded = try await makeBytes(
      from: .picture(found.image, generation: found.entry.record.generation))
    let result = EncodedPicture(encoded, from: .memory, found.entry.record, request)
    return try await store(result, broughtAt: turn, isNew: false, body: nil)
  }

  private func makeFromCachedOriginal() async throws -> EncodedPicture? {
    guard let hit = try await findOriginal(mayBePicture: { !mayPassThrough($0) }) else { return nil }
    do {
      let encoded = try await makeBytes(from: .pixels(hit.source))
      let result = EncodedPicture(encoded, from: ImageSource(hit.layer), hit.record, request)
      return try await store(result, broughtAt: turn, isNew: false, body: nil)
    } catch {
      // The coder from the context may fail on bytes that the manager's own coder can read, so the entry stays.
      let keepsEntry = request.coderName != nil
      try await giveUpOnStored(request.originalKey, in: request.originalCache, keepsEntry ? [] : hit.layer, error)
      return nil
    }
  }

  /// True when a picture may have come from bytes that may go out untouched.
  ///
  /// Such bytes are looked for first, so that the result does not depend on what the caches have.
  private func mayPassThrough(_ image: Image) -> Bool {
    PassThrough(request)?.mayHaveComeFromWantedBytes(image) ?? false
  }
}
