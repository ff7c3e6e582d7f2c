/// Fitting what a run made to what one caller wants.
extension ImageManager {
  /// Whether what memory has is all that the caller asked for.
  func isEnough(_ found: FoundInMemory, _ request: ResolvedRequest, for load: Load) -> Bool {
    if request.observer != nil { load.report(.cacheHit(.memory)) }
    return !needsMore(found.image, found.entry.bytes, request)
  }

  /// What memory has, as it is delivered.
  func finished(_ found: FoundInMemory, _ request: ResolvedRequest) -> ImageResult {
    let bytes = request.options.contains(.includeData) ? found.entry.bytes : nil
    return ImageResult(
      request.fitted(found.image), from: .memory, key: request.variantKey, bytes: bytes, in: found.entry)
  }

  /// What a run made, as it is delivered; nil where the caller asked for what takes time to add.
  ///
  /// It throws where the picture is not what the caller required.
  @inline(never)
  func delivered(_ picture: Picture, _ request: ResolvedRequest) throws -> ImageResult? {
    guard picture.image.isAnimated || !request.options.contains(.requireAnimated) else {
      throw ImageError(
        .badImageData, "The picture does not move, and one that moves was required.", subject: request.subject)
    }
    let mustWait = request.options.contains(.waitStore) && !picture.stores.isEmpty
    return mustWait || needsMore(picture.image, picture.bytes, request) ? nil : finished(picture, request)
  }

  /// What takes time to add, in a run of its own, so that a caller who gives up is answered at once here too.
  func completed(_ picture: Picture, _ request: ResolvedRequest, for load: Load) async throws -> ImageResult {
    let completed = try await SharedWork<UInt64, Picture>().value(for: load.number, seat: load.seat(for: request)) {
      run in
      try await self.completed(picture, request, in: run)
    }
    return finished(completed, request)
  }

  /// Whether the caller asked for what takes time to add.
  private func needsMore(_ image: Image, _ bytes: ImageBytes?, _ request: ResolvedRequest) -> Bool {
    let options = request.options
    return options.contains(.includeData) && bytes == nil || request.transformsFirstFrame(of: image)
      || options.contains(.preloadAllFrames) && image.isAnimated && !options.contains(.firstFrameOnly)
  }

  private func finished(_ picture: Picture, _ request: ResolvedRequest) -> ImageResult {
    ImageResult(
      request.fitted(picture.image), from: picture.source, key: request.variantKey,
      bytes: request.options.contains(.includeData) ? picture.bytes : nil, of: picture)
  }

  private func completed(
    _ picture: Picture, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Picture {
    var picture = picture
    if request.options.contains(.waitStore) {
      for store in picture.stores { await store.value }
    }
    if request.transformsFirstFrame(of: picture.image) {
      return try await firstFrame(of: picture, request, in: run)
    }
    if request.options.contains(.preloadAllFrames), let frames = picture.image.frames {
      let budget = configuration.frameBudgetBytes
      let work = work(for: request, in: run)
      picture.image.frames = try await onWorker(.frames, work, request, in: run) {
        try PreloadedFrames(frames, budget: budget, work: work)
      }
    }
    if request.options.contains(.includeData), picture.bytes == nil {
      picture.bytes = try await bytes(of: picture, request, in: run)
    }
    return picture
  }

  /// The first frame of a moving picture after all transformers, which pass by the picture itself.
  ///
  /// It is made for each caller anew and never stored: under its key lies the picture that moves.
  private func firstFrame(
    of picture: Picture, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Picture {
    var picture = picture
    let source = PixelSource.firstFrame(picture.image.withoutFrames, generation: picture.record.generation)
    let held = try await pixels(of: source, request, for: run)
    defer { held.release() }
    picture.image = held.value
    picture.bytes = nil
    if request.options.contains(.includeData) { picture.bytes = try await written(picture.image, request, in: run) }
    return picture
  }

  /// The encoded bytes of a picture that came without: from the disk, else the original loaded again, else made of the
  /// pixels.
  private func bytes(
    of picture: Picture, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> ImageBytes {
    let stored = try? await call(request.cache, about: request.variantKey, within: Self.queryTime) {
      try await request.cache.query(request.variantKey, in: request.layers.query.intersection(.disk))
    }
    if let bytes = stored?.entry.bytes, stored?.entry.record.generation == picture.record.generation { return bytes }
    if request.keepsReceivedPixels(picture.image), request.isSafe, !request.options.contains(.fromCacheOnly) {
      let held = try? await transferred(TransferKey(request), request, for: run)
      try Task.checkCancellation()
      defer { held?.release() }
      // The server may have another picture by now, or none: the bytes must be those of this one.
      if case .body(let body)? = held?.value, body.record.generation == picture.record.generation { return body.bytes }
    }
    return try await written(picture.image, request, in: run)
  }

  private func written(_ image: Image, _ request: ResolvedRequest, in run: SharedRun) async throws -> ImageBytes {
    let work = work(for: request, in: run)
    do {
      return try await onWorker(.encoder, work, request, in: run) {
        try LosslessEncoding.bytes(
          of: image, by: request.coder, else: self.configuration.coder, work: work
        ).bytes
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .encodeFailed, "The picture could not be written.", subject: request.subject)
    }
  }
}

extension ResolvedRequest {
  /// Whether transformers, which leave this moving picture alone, are meant for its first frame, which is delivered.
  func transformsFirstFrame(of image: Image) -> Bool {
    image.isAnimated && options.contains(.firstFrameOnly) && !transformer.isIdentity
      && !options.contains(.transformAnimated)
  }

  /// The picture as this caller wants it delivered.
  func fitted(_ image: Image) -> Image {
    var image = options.contains(.firstFrameOnly) ? image.withoutFrames : image
    if let scale = scaleFactor, scale != image.scaleFactor { image.scaleFactor = scale }
    return image
  }
}
