import FoundationEssentials

/// Asking for bytes without a picture.
extension ImageManager {
  /// Loads the bytes behind a request, decrypted but not decoded.
  ///
  /// They come from a cache that keeps the original where it may be used, and go to disk as an original would. Those that
  /// are stale, or to be refreshed, are asked about first, and used where the server confirms them or, by the same rules
  /// as for pictures, where it fails.
  public func bytes(for request: ImageRequest) async throws(ImageError) -> ImageBytes {
    let load = Load(request)
    do {
      let (bytes, source) = try await fromFirstPlace(of: load) { request in
        let place = try register(load, request)
        defer { loads.remove(place) }
        return try await SharedWork<UInt64, (ImageBytes, ImageSource)>().value(
          for: load.number, seat: load.seat(for: request)
        ) { run in
          try await self.bytes(request, in: run)
        }
      }
      load.end(.succeeded(source))
      return bytes
    } catch {
      throw failed(load, error)
    }
  }

  private func bytes(
    _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> (ImageBytes, ImageSource) {
    let turn = storeLanes.begin(request.originalKey)
    let stored = try await storedBytes(request, in: run)
    if let stored, mayUseUnasked(stored.record, request) { return (stored.bytes, stored.source) }
    let key = TransferKey(request, revalidating: stored?.record)
    let held: Held<Transferred>
    do {
      try refuseWhatMustNotLoad(request)
      held = try await transferred(key, request, for: run)
    } catch {
      try Task.checkCancellation()
      let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: request.subject)
      remember(failure, request)
      guard let stored, mayUse(stored.record, request, despite: failure) else { throw failure }
      return (stored.bytes, stored.source)
    }
    defer { held.release() }
    switch held.value {
    case .image:
      throw ImageError(.badImageData, "The loader made a picture and brought no bytes.", subject: request.subject)
    case .notModified(let confirmation):
      if key.isRevalidation, var stored {
        failedURLs.remove(request.originalKey)
        _ = await renew(&stored.record, by: confirmation, request, turn, in: run)
        return (stored.bytes, .revalidated)
      }
      throw ImageError(
        .notModified, "The server said that nothing changed, but no bytes were kept.", subject: request.subject,
        response: confirmation.head)
    case .body(let body):
      // Nobody decodes it here, and stores may wait for a load that waits for room.
      body.letGoOfRoom()
      failedURLs.remove(request.originalKey)
      await storeOriginal(body, turn, request, in: run)
      return (body.bytes, .network)
    }
  }

  private struct StoredBytes {
    let bytes: ImageBytes
    var record: CacheRecord
    let source: ImageSource
  }

  /// The bytes as a cache keeps them: those that may be used unasked, or else those that the server is to be asked about.
  private func storedBytes(_ request: ResolvedRequest, in run: SharedRun) async throws -> StoredBytes? {
    var layers = request.isVariant ? request.layers.originalQuery : request.layers.query
    var stale: StoredBytes?
    while let hit = try await lookUp(
      request.originalKey, request.originalCache, request.originalCacheInstance, layers, request, in: run)
    {
      if let bytes = hit.entry.bytes {
        let source: ImageSource = hit.layer == .memory ? .memory : .disk
        let stored = StoredBytes(bytes: bytes, record: hit.entry.record, source: source)
        if mayUseUnasked(stored.record, request) { return stored }
        stale = stored
      }
      layers.subtract(hit.layer)
    }
    return stale
  }

  private func storeOriginal(
    _ body: LoadedBody, _ load: StoreTurn, _ request: ResolvedRequest, in run: SharedRun
  ) async {
    switch keeping(of: body.record, request) {
    case .stored: break
    case .passedBy: return
    case .forgotten:
      _ = await forgotten(body.turn, of: load, request, in: run)
      return
    }
    _ = await renewed(body.record.response, body.record.generation, body.turn, of: load, request, in: run)
    let layers = request.isVariant ? request.layers.originalStore : request.layers.store
    guard layers.contains(.disk) else { return }
    _ = storeLanes.add(body.turn, of: load, generation: body.record.generation, brings: true, isDisk: true) {
      guard body.claimStore(in: .disk, of: request.originalCacheInstance) else { return }
      do {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        try await self.call(request.originalCache, about: request.originalKey, within: Self.storeTime) {
          try await request.originalCache.store(entry, for: request.originalKey, in: .disk)
        }
      } catch {
        self.report(error, of: request.originalKey, in: run)
      }
    }
  }
}

/// Turning pictures into bytes.
extension ImageManager {
  /// Writes a picture with the coder that was added last for the format, on a worker thread.
  ///
  /// The coder finds settings of its own in `context`. When the waiting task is cancelled, the coder gives up. A coder that does not end within `Limits.decodeTime` is
  /// left behind with its thread, and the call fails with `limitExceeded`.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions(), context: ImageContext = []
  ) async throws(ImageError) -> ImageBytes {
    let cancellation = Cancellation()
    let coder = configuration.coder
    let work = WorkContext(
      limits: configuration.limits, context: context, cancellation: cancellation, clock: configuration.clock)
    let terms = JobTerms(work.time) { PluginCall.encoder.failure(of: work, subject: nil) }
    do {
      return try await withTaskCancellationHandler {
        try await configuration.workers.run(terms) {
          try coder.encode(image, as: format, options: options, work: work)
        }
      } onCancel: {
        cancellation.cancel()
      }
    } catch {
      throw .wrapping(error, as: .encodeFailed, "The picture could not be written as \(format).")
    }
  }
}
