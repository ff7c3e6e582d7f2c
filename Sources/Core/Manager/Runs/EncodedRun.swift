/// The life of a request for encoded bytes: the bytes are found, passed through from the original, or made by decoding,
/// transforming and encoding.
struct EncodedRun: ResultRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let turn: StoreTurn
  let shared: SharedRun

  static func table(of manager: ImageManager) -> ResultRuns<EncodedParts> { manager.encodedRuns }

  /// Finds the bytes in a cache, or makes them from a picture or an original in a cache.
  func findInCaches() async throws -> EncodedPicture? {
    if let encoded = try await findEncoded() { return encoded }
    if let encoded = try await makeFromPictureInMemory() { return encoded }
    if let encoded = try await makeFromCachedOriginal() { return encoded }
    shared.report(.cacheMiss)
    return nil
  }

  func make(from transfer: JoinedRun<Transferred>) async throws -> EncodedPicture {
    let encoded = try await makeBytes(from: .pixels(.transfer(transfer)))
    let source: ImageSource = request.bytesAtHand == nil ? .network : .bytes
    switch try await transfer.value {
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
    guard let hit = found, let bytes = hit.entry.bytes, let size = hit.entry.record.encodedSize,
      let type = hit.entry.record.mimeType
    else { return nil }
    let source: ImageSource = hit.layer == .memory ? .memory : .disk
    letOthersPass(hit.entry.record)
    do {
      let wantsMemory = hit.layer != .memory && shared.wish.encodedStore.contains(.memory)
      // The bytes of a file go into memory, where the next caller finds them.
      let mustBeRead = wantsMemory && bytes.filePath != nil
      let ready = mustBeRead ? try await onWorker(.reading, newWork()) { try bytes.loaded() } : bytes
      let parts = EncodedParts(
        encoded: EncodedBytes(bytes: ready, format: ImageFormat(mimeType: type), size: size), source: source,
        record: hit.entry.record)
      let result = EncodedPicture(parts)
      if wantsMemory { await storeJob(for: result, broughtAt: turn, isNew: false, body: nil).storeInMemory() }
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
    letOthersPass(found.entry.record)
    shared.report(.cacheHit(.memory))
    let encoded = try await makeBytes(
      from: .picture(found.image, generation: found.entry.record.generation))
    let result = EncodedPicture(encoded, from: .memory, found.entry.record, request)
    return try await store(result, broughtAt: turn, isNew: false, body: nil)
  }

  private func makeFromCachedOriginal() async throws -> EncodedPicture? {
    guard let hit = try await findOriginal(mayBePicture: { !mayPassThrough($0) }) else { return nil }
    letOthersPass(hit.record)
    do {
      let encoded = try await makeBytes(from: .pixels(hit.source))
      let source: ImageSource = hit.layer == .memory ? .memory : .disk
      let result = EncodedPicture(encoded, from: source, hit.record, request)
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
