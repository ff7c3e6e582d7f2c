import EaselCore
import EaselWorkers

/// Adapts the picture of a run to the options of one caller.
struct Delivery: Sendable {
  let manager: ImageManager
  let request: ResolvedRequest
  let product: Product

  /// Returns the picture with everything that only this load wants.
  func result(for load: Load) async throws -> ImageResult {
    if try isComplete() { return ImageResult(product, for: request, by: manager.configuration.clock) }
    let fitted = try await load.runAlone(for: request) { shared in
      try await completed(for: Run(manager: manager, request: request, shared: shared))
    }
    return ImageResult(fitted, for: request, by: manager.configuration.clock)
  }

  @inline(never)
  private func isComplete() throws -> Bool {
    let (image, bytes) = product.parts.picture
    try request.checkMotion(of: image)
    let mustWait = request.options.contains(.waitStore) && !product.stores.isEmpty
    return !mustWait && !request.asksForMore(than: image, bytes)
  }

  private func completed(for run: Run) async throws -> Product {
    if request.options.contains(.waitStore) { for store in product.stores { await store.value } }
    var (image, bytes) = product.parts.picture
    if request.transformsFirstFrame(of: image) {
      // Each caller gets a new result, which is never stored, because its key belongs to the moving picture.
      image = try await Pixels.image(
        from: .firstFrame(image.withoutFrames, generation: product.record.generation), for: run)
      bytes = request.options.contains(.includeData) ? try await encode(image, for: run) : nil
    } else {
      if request.options.contains(.preloadAllFrames), let frames = image.frames {
        let (budget, work) = (manager.configuration.frameBudgetBytes, run.newWork())
        image.frames = try await run.onWorker(.frames, work) {
          try PreloadedFrames(frames, budget: budget, work: work)
        }
      }
      if request.options.contains(.includeData), bytes == nil { bytes = try await findBytes(of: image, for: run) }
    }
    var parts = product.parts
    parts.content = .picture(image, bytes: bytes)
    return Product(parts)
  }

  /// Finds the encoded bytes of the picture: on disk, else in the original that is loaded again, else by encoding.
  private func findBytes(of image: Image, for run: Run) async throws -> ImageBytes {
    let (key, generation) = (request.variantKey, product.record.generation)
    let stored = try? await run.calls(request.cache).query(key, in: request.layers.query.intersection(.disk))
    if let entry = stored?.entry, let bytes = entry.bytes, entry.belongs(to: key),
      entry.record.generation == generation
    {
      return bytes
    }
    if request.keepsReceivedPixels(image), request.isSafe, !request.options.contains(.fromCacheOnly) {
      let transferred = try? await Transfer.join(for: run).value
      try Task.checkCancellation()
      // By now the server may have a new picture or none; only bytes of the same generation are used.
      if case .body(let body)? = transferred, body.record.generation == generation { return body.bytes }
    }
    return try await encode(image, for: run)
  }

  private func encode(_ image: Image, for run: Run) async throws -> ImageBytes {
    let work = run.newWork()
    do {
      return try await run.onWorker(.encoder, work) {
        try LosslessEncoding.bytes(of: image, by: request.coder, else: manager.configuration.coders, work: work).bytes
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .encodeFailed, "The picture could not be written.", subject: request.subject)
    }
  }
}
