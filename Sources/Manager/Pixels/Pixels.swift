import EaselCore
import EaselHTTP
import EaselWorkers

/// Makes a picture's pixels for all callers who need the same ones: decodes, or applies one transformer.
struct Pixels: Sendable {
  let run: Run
  let source: PixelSource
  /// The number of transformers to apply; 0 only decodes.
  let stepCount: Int
  /// The plan that lets the decoder make a smaller picture for the first transformer.
  let plan: DecodePlan?

  /// Makes the picture after all transformers, or joins a run that is making it.
  static func image(from source: PixelSource, for run: Run) async throws -> Image {
    if case .finished(let image, _) = source { return image }
    return try await join(source, stepCount: run.request.steps.count, for: run, keptBy: source.transfer).value
  }

  /// Joins the run that makes the picture after the first `stepCount` transformers, or starts it.
  @inline(never)
  private static func join(
    _ source: PixelSource, stepCount: Int, plan: DecodePlan? = nil, for run: Run,
    keptBy transfer: JoinedRun<TransferResult>? = nil, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Image> {
    let key = PixelsKey(run.request, input: source.input, stepCount: stepCount, plan: plan)
    return run.join(run.manager.pixelRuns, key, keptBy: transfer, listener: listener) {
      [manager = run.manager, request = run.request] shared in
      try await Pixels(
        run: Run(manager: manager, request: request, shared: shared), source: source, stepCount: stepCount, plan: plan
      ).make()
    }
  }

  private func make() async throws -> Image {
    guard stepCount == 0 else { return try await transform(by: run.request.steps[stepCount - 1]) }
    let decoding = Decoding(run: run, plan: plan)
    // This case is first, because thousands of loads wait here for their bytes, and should reserve no room for the
    // rest.
    if case .transfer(let transfer) = source { return try await decoding.image(from: transfer) }
    return try await decoding.image(from: source)
  }

  @inline(never)
  private func transform(by step: any Transformer) async throws -> Image {
    let plan = stepCount == 1 ? DecodePlan(step, run.request) : nil
    let transformer = plan ?? step
    let work = run.newWork()
    let transformsFrames = run.request.options.contains(.transformAnimated)
    let call = PluginCall.transformer(transformer.cacheKey)
    // The closure must not capture the source: the transfer would then keep itself alive through its listeners.
    let previews = PreviewTransform(
      transformer, movesToo: transformsFrames, run.shared, run.manager.configuration.workers
    ) { [run] in
      let work = run.newWork()
      return (work, run.terms(of: call, work))
    }
    let image = try await Self.join(
      source, stepCount: stepCount - 1, plan: plan, for: run, listener: previews.receive
    ).value
    guard !image.isAnimated || transformsFrames else { return image }
    let started = run.clock.uptime
    do {
      var result = try await run.onWorker(call, work) { try transformer.transformAllFrames(of: image, work: work) }
      result.traits.insert(.transformed)
      run.report(.transformed(key: transformer.cacheKey, run.clock.uptime - started))
      return result
    } catch {
      try Task.checkCancellation()
      throw run.request.failure(ofTransformer: "transformer \(transformer.cacheKey)", error)
    }
  }
}

/// Decodes the bytes of a picture.
struct Decoding: Sendable {
  let run: Run
  /// The plan that lets the decoder make a smaller picture for the first transformer.
  var plan: DecodePlan?

  private var request: ResolvedRequest { run.request }

  /// Decodes bytes while the rest of the body arrives.
  ///
  /// The result is used only after the body is complete and checked.
  func image(from transfer: JoinedRun<TransferResult>) async throws -> Image {
    let session = newSession()
    // The waiting loads get other events of the transfer through their own places.
    let joined = run.join(transfer) { if case .arrived(let arrival) = $0 { session?.bytesArrived(arrival) } }
    do {
      return try await image(of: joined.value, session)
    } catch {
      await session?.close()
      throw error
    }
  }

  @inline(never)
  func image(from source: PixelSource) async throws -> Image {
    switch source {
    case .image(let image, _), .firstFrame(let image, _), .finished(let image, _): return image
    case .cached(let bytes, let record):
      return try await decode(bytes, record.picture, response: record.response?.head(at: run.clock.date))
    case .transfer(let transfer): return try await image(from: transfer)
    }
  }

  /// Decodes stored bytes of a result.
  ///
  /// An original is decoded with the options of the request; a variant already has its final pixels.
  func stored(_ bytes: ImageBytes, _ record: CacheRecord) async throws -> Image {
    guard request.isVariant else { return try await Pixels.image(from: .cached(bytes, record), for: run) }
    let work = run.newWork(response: record.response?.head(at: run.clock.date))
    let started = run.clock.uptime
    var image = try await run.onWorker(.decoder, work) {
      let coder = try run.coder(reading: bytes)
      let options = request.decodeOptions.reading(record.picture, isVariant: true)
      return try request.checks.decode(bytes, by: coder, work: work) { _ in options }
    }
    run.report(.decoded(image.size, run.clock.uptime - started))
    if let known = record.picture {
      known.restore(&image)
      return image
    }
    // The entry comes from a version that did not yet keep the properties of pictures.
    if request.decodeOptions.makesSmaller { image.traits.insert(.thumbnail) }
    if !request.transformer.isIdentity && !request.keepsReceivedPixels(image) { image.traits.insert(.transformed) }
    return image
  }

  @inline(never)
  private func image(of transferred: TransferResult, _ session: DecodeSession?) async throws -> Image {
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
      let started = run.clock.uptime
      if let image = try await session?.finish(body.bytes) { return try accept(image, since: started) }
      return try await decode(body.bytes, nil, response: body.head)
    }
  }

  @inline(never)
  private func newSession() -> DecodeSession? {
    guard request.decryptor == nil, let coder = request.coder.capability((any ProgressiveImageCoder).self) else {
      return nil
    }
    let work = run.newWork()
    let session = DecodeSession(
      coder: coder, options: request.decodeOptions, plan: plan, work: work, terms: run.terms(of: .decoder, work),
      run: run.shared, configuration: run.manager.configuration)
    run.shared.whenPreviewsAreWanted { [weak session] in session?.previewsAreWanted() }
    return session
  }

  /// Decodes complete bytes; `known` has the picture's properties if the manager itself encoded the bytes.
  private func decode(_ bytes: ImageBytes, _ known: CacheRecord.ImageProperties?, response: ResponseHead?) async throws
    -> Image
  {
    let work = run.newWork(response: response)
    let started = run.clock.uptime
    do {
      let image = try await run.onWorker(.decoder, work) {
        // The coder that wrote the bytes may be another than the one that reads the original.
        let coder = known == nil ? request.coder : try run.coder(reading: bytes)
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
    run.report(.decoded(image.size, run.clock.uptime - started))
    return image
  }

  /// Scales a picture that the loader has decoded to the requested size.
  private func scale(_ image: Image) async throws -> Image {
    try request.checks.check(image, madeBy: "The loader")
    let size = request.decodeOptions.targetSize(forPictureAtHand: image)
    guard size != image.size else { return image }
    guard let scaler = run.manager.configuration.scaler else {
      throw ImageError(
        .transformFailed,
        "The loader made a picture of \(image.size), but \(size) was requested and the manager has no scaler. "
          + "Set ImageManager.Configuration.scaler.", subject: request.subject)
    }
    let work = run.newWork()
    do {
      var result = try await run.onWorker(.transformer("scaler"), work) {
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

extension DecodeOptions {
  /// The options for decoding stored bytes.
  ///
  /// The bytes of a variant were made with these options, so most options must not apply again. Pixels that the manager
  /// encoded are finished.
  fileprivate func reading(_ picture: CacheRecord.ImageProperties?, isVariant: Bool) -> DecodeOptions {
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
