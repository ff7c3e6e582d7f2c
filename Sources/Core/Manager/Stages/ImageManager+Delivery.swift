/// Fitting what a run made to what one caller wants.
extension ImageManager {
  func deliver(_ picture: Picture, of request: ResolvedRequest, to load: Load) async throws -> ImageResult {
    guard picture.image.isAnimated || !request.options.contains(.requireAnimated) else {
      throw ImageError(
        .badImageData, "The picture does not move, and one that moves was required.", subject: request.subject)
    }
    guard needsMore(than: picture, request) else { return finished(picture, request) }
    // A run of its own, so that a caller who gives up is answered at once here too.
    let completed = try await SharedWork<UInt64, Picture>().value(for: load.number, seat: load.seat(for: request)) {
      run in
      try await self.completed(picture, request, in: run)
    }
    return finished(completed, request)
  }

  /// Whether the caller asked for what takes time to add.
  func needsMore(than picture: Picture, _ request: ResolvedRequest) -> Bool {
    let options = request.options
    return options.contains(.includeData) && picture.bytes == nil
      || options.contains(.waitStore) && !picture.stores.isEmpty
      || options.contains(.preloadAllFrames) && picture.image.isAnimated && !options.contains(.firstFrameOnly)
  }

  func finished(_ picture: Picture, _ request: ResolvedRequest) -> ImageResult {
    ImageResult(
      image: fitted(picture.image, request), source: picture.source, key: request.variantKey,
      bytes: request.options.contains(.includeData) ? picture.bytes : nil, response: picture.head,
      metrics: picture.metrics, revalidationError: picture.revalidationError)
  }

  func fitted(_ image: Image, _ request: ResolvedRequest) -> Image {
    var image = image
    if request.options.contains(.firstFrameOnly), image.isAnimated { image.frames = nil }
    if let scale = request.context[.scaleFactor], scale != image.scaleFactor { image.scaleFactor = scale }
    return image
  }

  private func completed(
    _ picture: Picture, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Picture {
    var picture = picture
    if request.options.contains(.waitStore) {
      for store in picture.stores { await store.value }
    }
    if request.options.contains(.preloadAllFrames), let frames = picture.image.frames {
      let budget = configuration.frameBudgetBytes
      let work = work(for: request, in: run)
      picture.image.frames = try await onWorker(in: run) {
        try PreloadedFrames(frames, budget: budget, work: work)
      }
    }
    if request.options.contains(.includeData), picture.bytes == nil {
      picture.bytes = try await bytes(of: picture, request, in: run)
    }
    return picture
  }

  /// The encoded bytes of a picture that came without: from the disk, else the original loaded again, else made of the
  /// pixels.
  private func bytes(
    of picture: Picture, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> ImageBytes {
    let stored = try? await request.cache.query(request.variantKey, in: request.layers.query.intersection(.disk))
    if let bytes = stored?.entry.bytes, stored?.entry.record.generation == picture.record.generation { return bytes }
    if request.keepsReceivedPixels(picture.image), !request.options.contains(.fromCacheOnly) {
      let held = try? await transferred(TransferKey(request), request, for: run)
      try Task.checkCancellation()
      defer { held?.release() }
      // The server may have another picture by now, or none: the bytes must be those of this one.
      if case .body(let body)? = held?.value, body.record.generation == picture.record.generation { return body.bytes }
    }
    let work = work(for: request, in: run)
    return try await onWorker(in: run) {
      try LosslessEncoding.bytes(
        of: picture.image, by: request.coder, else: self.configuration.coder, work: work)
    }
  }
}
