/// Adds slow extras to a picture that only one caller asked for.
struct DeliveryRun: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let picture: Picture
  let shared: SharedRun

  func make() async throws -> Picture {
    var picture = picture
    if request.options.contains(.waitStore) {
      for store in picture.stores { await store.value }
    }
    if request.transformsFirstFrame(of: picture.image) { return try await transformFirstFrame() }
    if request.options.contains(.preloadAllFrames), let frames = picture.image.frames {
      let budget = manager.configuration.frameBudgetBytes
      let work = newWork()
      picture.image.frames = try await onWorker(.frames, work) {
        try PreloadedFrames(frames, budget: budget, work: work)
      }
    }
    if request.options.contains(.includeData), picture.bytes == nil { picture.bytes = try await findBytes() }
    return picture
  }

  /// Applies the transformers, which skip moving pictures, to the first frame of a moving picture.
  ///
  /// Each caller gets a new result, which is never stored, because its key belongs to the moving picture.
  private func transformFirstFrame() async throws -> Picture {
    var picture = picture
    picture.image = try await makePixels(
      from: .firstFrame(picture.image.withoutFrames, generation: picture.record.generation))
    picture.bytes = request.options.contains(.includeData) ? try await encode(picture.image) : nil
    return picture
  }

  /// The encoded bytes of the picture: from the disk, or from the original loaded again, or encoded from the pixels.
  private func findBytes() async throws -> ImageBytes {
    let generation = picture.record.generation
    let stored = try? await manager.call(
      request.cache, about: request.variantKey, within: ImageManager.queryTime
    ) {
      try await request.cache.query(request.variantKey, in: request.layers.query.intersection(.disk))
    }
    if let bytes = stored?.entry.bytes, stored?.entry.record.generation == generation { return bytes }
    if request.keepsReceivedPixels(picture.image), request.isSafe, !request.options.contains(.fromCacheOnly) {
      let transferred = try? await startTransfer(TransferKey(request)).value
      try Task.checkCancellation()
      // The server may have a new picture or none by now; only bytes of this same picture are used.
      if case .body(let body)? = transferred, body.record.generation == generation { return body.bytes }
    }
    return try await encode(picture.image)
  }

  private func encode(_ image: Image) async throws -> ImageBytes {
    let work = newWork()
    do {
      return try await onWorker(.encoder, work) { [manager, request] in
        try LosslessEncoding.bytes(
          of: image, by: request.coder, else: manager.configuration.coder, work: work
        ).bytes
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .encodeFailed, "The picture could not be written.", subject: request.subject)
    }
  }
}

/// Fitting a picture to the wishes of one caller.
extension ImageManager {
  /// True when the picture in memory is everything that the caller asked for.
  func isEnough(_ found: FoundInMemory, _ request: ResolvedRequest, for load: Load) -> Bool {
    if request.observer != nil { load.report(.cacheHit(.memory)) }
    return !request.asksForMore(than: found.image, found.entry.bytes)
  }

  /// The result of a load whose picture was in memory.
  func result(of found: FoundInMemory, for request: ResolvedRequest) -> ImageResult {
    let bytes = request.options.contains(.includeData) ? found.entry.bytes : nil
    return ImageResult(
      request.fitted(found.image), from: .memory, key: request.variantKey, bytes: bytes, in: found.entry)
  }

  /// Delivers the picture of a run to one load, after adding the extras that only this load asked for.
  func deliver(_ picture: Picture, _ request: ResolvedRequest, to load: Load) async throws -> ImageResult {
    if try mayDeliverAtOnce(picture, request) { return result(of: picture, for: request) }
    let completed = try await load.runAlone(for: request) { [self] shared in
      try await DeliveryRun(manager: self, request: request, picture: picture, shared: shared).make()
    }
    return result(of: completed, for: request)
  }

  @inline(never)
  private func mayDeliverAtOnce(_ picture: Picture, _ request: ResolvedRequest) throws -> Bool {
    guard request.accepts(picture.image) else {
      throw ImageError(
        .badImageData, "The picture does not move, but the request requires one that moves.", subject: request.subject)
    }
    let mustWait = request.options.contains(.waitStore) && !picture.stores.isEmpty
    return !mustWait && !request.asksForMore(than: picture.image, picture.bytes)
  }

  private func result(of picture: Picture, for request: ResolvedRequest) -> ImageResult {
    ImageResult(
      request.fitted(picture.image), from: picture.source, key: request.variantKey,
      bytes: request.options.contains(.includeData) ? picture.bytes : nil, of: picture)
  }
}

extension ResolvedRequest {
  /// True when the caller asked for something that takes time to add.
  func asksForMore(than image: Image, _ bytes: ImageBytes?) -> Bool {
    options.contains(.includeData) && bytes == nil || transformsFirstFrame(of: image)
      || options.contains(.preloadAllFrames) && image.isAnimated && !options.contains(.firstFrameOnly)
  }

  /// True when the transformers must be applied to the first frame of this moving picture, which they skip as a whole.
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
