import EaselCore
import EaselWorkers

/// Decodes, or applies one transformer, for everyone who needs the same pixels.
struct PixelsRun: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let source: PixelSource
  /// The number of the request's transformers that are applied; 0 only decodes.
  let stepCount: Int
  /// The plan that lets the decoder make a smaller picture for the first transformer.
  let plan: DecodePlan?
  let shared: SharedRun

  func make() async throws -> Image {
    guard stepCount == 0 else { return try await transform(by: request.steps[stepCount - 1]) }
    // First, because thousands wait there for their bytes, and need no room for the rest.
    if case .transfer(let transfer) = source { return try await decodeWhileLoading(transfer) }
    return try await decode()
  }

  @inline(never)
  private func transform(by step: any Transformer) async throws -> Image {
    let plan = stepCount == 1 ? DecodePlan(step, request) : nil
    let transformer = plan ?? step
    let work = newWork()
    let transformsFrames = request.options.contains(.transformAnimated)
    let call = PluginCall.transformer(transformer.cacheKey)
    // The closure must not capture the source: the transfer would then keep itself alive through its listeners.
    let previews = PreviewTransform(
      transformer, movesToo: transformsFrames, shared, manager.configuration.workers
    ) { [essence] in
      let work = essence.newWork()
      return (work, essence.terms(of: call, work))
    }
    let image = try await joinPixels(
      of: source, stepCount: stepCount - 1, plan: plan, listener: previews.receive
    ).value
    guard !image.isAnimated || transformsFrames else { return image }
    let started = manager.configuration.clock.uptime
    do {
      var result = try await onWorker(call, work) { try transformer.transformAllFrames(of: image, work: work) }
      result.traits.insert(.transformed)
      report(.transformed(key: transformer.cacheKey, manager.configuration.clock.uptime - started))
      return result
    } catch {
      try Task.checkCancellation()
      throw request.failure(ofTransformer: "transformer \(transformer.cacheKey)", error)
    }
  }
}

/// Decoding.
extension PixelsRun {
  @inline(never)
  private func decode() async throws -> Image {
    switch source {
    case .image(let image, _), .firstFrame(let image, _): return image
    case .cached(let bytes, let record):
      let head = record.response?.head(at: manager.configuration.clock.date)
      return try await decode(bytes, record.picture, response: head)
    case .transfer(let transfer): return try await decodeWhileLoading(transfer)
    }
  }

  /// Decodes bytes while the rest of them arrives.
  ///
  /// The result is used only after the body is complete and checked.
  private func decodeWhileLoading(_ transfer: JoinedRun<Transferred>) async throws -> Image {
    let session = newSession()
    let joined = join(transfer, byteLimit: request.limits.downloadBytes) { event in
      // Other events of the transfer reach the waiting loads through their own seats.
      if case .arrived(let arrival) = event { session?.bytesArrived(arrival) }
    }
    do {
      return try await decode(joined.value, session)
    } catch {
      await session?.close()
      throw error
    }
  }

  @inline(never)
  private func decode(_ transferred: Transferred, _ session: DecodeSession?) async throws -> Image {
    switch transferred {
    case .notModified(let confirmation):
      throw ImageError(
        .notModified, "The server said that the picture has not changed, so there is nothing to decode.",
        response: confirmation.head)
    case .image(let image, _, _):
      await session?.close()
      return try await scale(image)
    case .body(let body):
      defer { body.releaseRoom() }
      let started = manager.configuration.clock.uptime
      if let image = try await session?.finish(body.bytes) { return try accept(image, since: started) }
      return try await decode(body.bytes, nil, response: body.head)
    }
  }

  @inline(never)
  private func newSession() -> DecodeSession? {
    guard request.decryptor == nil, let coder = request.coder.capability((any ProgressiveImageCoder).self) else {
      return nil
    }
    let work = newWork()
    let session = DecodeSession(
      coder: coder, options: request.decodeOptions, plan: plan, work: work, terms: terms(of: .decoder, work),
      run: shared, configuration: manager.configuration)
    shared.whenPreviewsAreWanted { [weak session] in session?.previewsAreWanted() }
    return session
  }

  /// Decodes complete bytes; `known` is the record of a picture that the manager itself had encoded for storage.
  private func decode(_ bytes: ImageBytes, _ known: PictureRecord?, response: ResponseHead?) async throws -> Image {
    let work = newWork(response: response)
    let started = manager.configuration.clock.uptime
    do {
      let image = try await onWorker(.decoder, work) { [manager, request, plan] in
        // The bytes may have been written by another coder than the one that reads the original.
        let coder = known == nil ? request.coder : try manager.coder(reading: bytes, for: request)
        var image = try request.checks.decode(bytes, by: coder, work: work) { header in
          (plan?.options(for: header) ?? request.decodeOptions).reading(known, isVariant: false)
        }
        known?.restore(&image)
        return image
      }
      return try accept(image, since: started)
    } catch {
      try Task.checkCancellation()
      throw ImageError.wrappingUncancelled(
        error, as: .badImageData, "The picture could not be decoded.", subject: request.subject)
    }
  }

  private func accept(_ image: Image, since started: Duration) throws(ImageError) -> Image {
    try request.checkCompleteness(of: image)
    report(.decoded(image.size, manager.configuration.clock.uptime - started))
    return image
  }

  /// Scales a picture that the loader decoded to the requested size.
  private func scale(_ image: Image) async throws -> Image {
    try request.checks.check(image, madeBy: "The loader")
    let size = request.decodeOptions.targetSize(forPictureAtHand: image)
    guard size != image.size else { return image }
    guard let scaler = manager.configuration.scaler else {
      throw ImageError(
        .transformFailed,
        "The loader made a picture of \(image.size), but \(size) was requested and the manager has no scaler. "
          + "Set ImageManager.Configuration.scaler.", subject: request.subject)
    }
    let work = newWork()
    do {
      var result = try await onWorker(.transformer("scaler"), work) {
        try scaler(size).transformAllFrames(of: image, work: work)
      }
      guard result.size == size else {
        throw ImageError(.transformFailed, "The scaler made a picture of \(result.size), but \(size) was requested.")
      }
      result.traits.insert(.thumbnail)
      return result
    } catch {
      try Task.checkCancellation()
      throw request.failure(ofTransformer: "scaler", error)
    }
  }
}

extension ManagerRun {
  /// Makes the picture after all transformers, or joins a run that makes it already.
  func makePixels(from source: PixelSource) async throws -> Image {
    try await joinPixels(of: source, stepCount: request.steps.count, keptBy: source.transfer).value
  }

  /// Joins the run that makes the picture after the first `stepCount` transformers, or starts it.
  @inline(never)
  fileprivate func joinPixels(
    of source: PixelSource, stepCount: Int, plan: DecodePlan? = nil, keptBy transfer: JoinedRun<Transferred>? = nil,
    listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Image> {
    let key = PixelsKey(request, input: source.input, stepCount: stepCount, plan: plan)
    return join(manager.pixelRuns, key, keptBy: transfer, listener: listener) { [manager, request] shared in
      try await PixelsRun(
        manager: manager, request: request, source: source, stepCount: stepCount, plan: plan, shared: shared
      ).make()
    }
  }
}

/// The input of a `PixelsRun`.
enum PixelSource: Sendable {
  /// A transfer that may still be running when decoding begins.
  case transfer(JoinedRun<Transferred>)
  /// Bytes from a cache. They are in a box of their own, because a source of another kind waits in thousands of loads.
  indirect case cached(ImageBytes, CacheRecord)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)
  /// The first frame of a moving picture, as a still picture.
  case firstFrame(Image, generation: UInt64)

  /// The transfer that brings the bytes; nil for bytes and pictures that are there.
  var transfer: JoinedRun<Transferred>? { if case .transfer(let transfer) = self { transfer } else { nil } }

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let transfer): .transfer(run: transfer.name.number)
    case .cached(_, let record): .bytes(generation: record.generation, record.picture)
    case .image(_, let generation): .bitmap(generation: generation)
    case .firstFrame(_, let generation): .firstFrame(generation: generation)
    }
  }
}

extension DecodeOptions {
  /// The options for decoding stored bytes.
  ///
  /// The bytes of a variant were already made with these options, and pixels that the manager itself encoded are
  /// finished.
  func reading(_ picture: PictureRecord?, isVariant: Bool) -> DecodeOptions {
    var options = self
    if isVariant {
      options.thumbnailSize = nil
      options.scaleDownLimitBytes = nil
    }
    if isVariant || picture != nil { options.typeHint = nil }
    if picture?.hasFinishedPixels == true {
      options.appliesOrientation = false
      options.convertsColor = false
      options.keeps16Bits = true
    }
    return options
  }

  var makesSmaller: Bool { thumbnailSize != nil || scaleDownLimitBytes != nil }
}
