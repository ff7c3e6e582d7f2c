import FoundationEssentials

/// Asking for bytes without a picture.
extension ImageManager {
  /// Loads the bytes behind a request, decrypted but not decoded.
  ///
  /// They come from a cache that keeps the original where it may be used, and go to disk as an original would.
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
    if let cached = try await storedBytes(request, in: run) { return cached }
    try refuseWhatMustNotLoad(request)
    let held: Held<Transferred>
    do {
      held = try await transferred(TransferKey(request), request, for: run)
    } catch {
      try Task.checkCancellation()
      let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: request.subject)
      remember(failure, request)
      throw failure
    }
    defer { held.release() }
    switch held.value {
    case .image:
      throw ImageError(.badImageData, "The loader made a picture and brought no bytes.", subject: request.subject)
    case .notModified(let head, _, _):
      throw ImageError(
        .notModified, "The server said that nothing changed, but no bytes were kept.", subject: request.subject,
        response: head)
    case .body(let body):
      // Nobody decodes it here, and stores may wait for a load that waits for room.
      body.letGoOfRoom()
      failedURLs.remove(request.originalKey)
      await storeOriginal(body, request, in: run)
      return (body.bytes, .network)
    }
  }

  private func storedBytes(
    _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> (ImageBytes, ImageSource)? {
    if request.options.contains(.refreshCached), !request.options.contains(.fromCacheOnly) { return nil }
    var layers = request.isVariant ? request.layers.originalQuery : request.layers.query
    while let hit = try await lookUp(
      request.originalKey, request.originalCache, request.originalCacheInstance, layers, request, in: run)
    {
      if let bytes = hit.entry.bytes, isFresh(hit.entry.record, request) {
        return (bytes, hit.layer == .memory ? .memory : .disk)
      }
      layers.subtract(hit.layer)
    }
    return nil
  }

  private func storeOriginal(_ body: LoadedBody, _ request: ResolvedRequest, in run: SharedRun) async {
    switch keeping(of: body.record, request) {
    case .stored: break
    case .passedBy: return
    case .forgotten:
      _ = await forgotten(body.turn, request, in: run)
      return
    }
    _ = await renewed(body.record.response, body.record.generation, body.turn, request, in: run)
    let layers = request.isVariant ? request.layers.originalStore : request.layers.store
    guard layers.contains(.disk) else { return }
    _ = storeLanes.add(body.turn, generation: body.record.generation, brings: true, isDisk: true) {
      guard body.claimStore(in: .disk, of: request.originalCacheInstance) else { return }
      do {
        let entry = CacheEntry(bytes: body.bytes, record: body.record)
        try await request.originalCache.store(entry, for: request.originalKey, in: .disk)
      } catch {
        self.report(error, of: request.originalKey, in: run)
      }
    }
  }
}
