import EaselCore

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

/// Frames of a picture, of which the first ones are kept decoded within a byte budget.
///
/// This is a class, so that everyone who plays one picture shares its frames.
final class PreloadedFrames: FrameSource {
  private let base: any FrameSource
  private let ready: [Bitmap]

  init(_ base: any FrameSource, budget: Int, work: WorkContext) throws {
    var ready: [Bitmap] = []
    var bytes = 0
    for index in 0..<max(0, base.count) {
      try work.checkCancellation()
      let frame: Bitmap
      do {
        frame = try PluginChecks.frame(at: index, of: base, work: work)
      } catch {
        throw ImageError.wrapping(error, as: .badImageData, "Frame \(index) could not be made.")
      }
      bytes += frame.memoryCost
      guard bytes <= budget else { break }
      ready.append(frame)
    }
    self.base = base
    self.ready = ready
  }

  var count: Int { base.count }
  var loopCount: Int { base.loopCount }
  var canvasSize: PixelSize { base.canvasSize }
  var memoryCost: Int { ready.reduce(base.countableCost) { $0 + $1.memoryCost } }

  func duration(at index: Int) -> Duration { index >= 0 && index < count ? base.duration(at: index) : .zero }

  func frame(at index: Int) throws -> Bitmap {
    guard index >= 0, index < count else { throw ImageError.noFrame(index, among: count) }
    return ready.indices.contains(index) ? ready[index] : try base.frame(at: index)
  }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    ready.indices.contains(index) ? ready[index] : try base.frame(at: index, work: work)
  }
}
