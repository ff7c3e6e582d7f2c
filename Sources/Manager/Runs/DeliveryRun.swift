import EaselCore
import EaselWorkers

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
    if let entry = stored?.entry, let bytes = entry.bytes, entry.belongs(to: request.variantKey),
      entry.record.generation == generation
    {
      return bytes
    }
    if request.keepsReceivedPixels(picture.image), request.isSafe, !request.options.contains(.fromCacheOnly) {
      let transferred = try? await startTransfer().value
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
          of: image, by: request.coder, else: manager.configuration.coders, work: work
        ).bytes
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .encodeFailed, "The picture could not be written.", subject: request.subject)
    }
  }
}
