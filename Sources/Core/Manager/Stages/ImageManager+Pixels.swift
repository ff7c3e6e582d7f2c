/// Decoding and transforming, each piece shared by everyone who needs it.
extension ImageManager {
  /// The picture after all transformers.
  func pixels(of source: PixelSource, _ request: ResolvedRequest, for run: SharedRun) async throws -> Held<Image> {
    try await pixels(of: source, request, steps: request.steps.count, seat: Seat(for: run))
  }

  /// The picture after the first `steps` transformers: joined where someone makes it already.
  private func pixels(
    of source: PixelSource, _ request: ResolvedRequest, steps: Int, plan: DecodePlan? = nil, seat: Seat<Image>
  ) async throws -> Held<Image> {
    let members = request.steps.prefix(steps)
    let key = PixelsKey(
      original: request.originalKey, input: source.input, decodeOptions: request.decodeOptions,
      coder: request.coderName, limits: request.limits, settings: request.customSettings,
      steps: members.map(\.cacheKey), transformsFrames: steps > 0 && request.options.contains(.transformAnimated),
      plan: plan)
    return try await pixelRuns.hold(key, seat: seat) { run in
      guard let last = members.last else { return try await self.decoded(source, request, plan, in: run) }
      return try await self.transformed(by: last, after: steps - 1, source, request, in: run)
    }
  }

  private func decoded(
    _ source: PixelSource, _ request: ResolvedRequest, _ plan: DecodePlan?, in run: SharedRun
  ) async throws -> Image {
    switch source {
    case .image(let image, _), .firstFrame(let image, _): return image
    case .cached(let bytes, let record):
      return try await decoded(bytes, record.picture, request, plan, in: run, response: record.response?.head)
    case .transfer(let transfer): return try await decodedWhileLoading(transfer, request, plan, in: run)
    }
  }

  /// Works on what has arrived while the rest is under way, and is committed only when the body is whole and checked.
  private func decodedWhileLoading(
    _ transfer: SharedWork<TransferKey, Transferred>.Run, _ request: ResolvedRequest, _ plan: DecodePlan?,
    in run: SharedRun
  ) async throws -> Image {
    let session = session(for: request, plan, in: run)
    let seat = Seat<Transferred>(for: run, byteLimit: request.limits.downloadBytes) { event in
      // What the transfer reports reaches those who wait for the picture by their own seats in it.
      if case .arrived(let arrival) = event { session?.bytesArrived(arrival) }
    }
    do {
      let held = try await transferRuns.held(by: transferRuns.join(transfer, seat: seat))
      defer { held.release() }
      switch held.value {
      case .notModified(let confirmation):
        throw ImageError(
          .notModified, "There is nothing to decode, since nothing changed.", response: confirmation.head)
      case .image(let image, _, _):
        await session?.close()
        return try await scaled(image, request, in: run)
      case .body(let body):
        defer { body.letGoOfRoom() }
        let started = configuration.clock.uptime
        if let image = try await session?.finish(body.bytes) {
          return try accepted(image, request, since: started, in: run)
        }
        return try await decoded(body.bytes, nil, request, plan, in: run, response: body.head)
      }
    } catch {
      await session?.close()
      throw error
    }
  }

  private func session(
    for request: ResolvedRequest, _ plan: DecodePlan?, in run: SharedRun
  ) -> DecodeSession? {
    guard request.decryptor == nil, let coder = request.coder as? any ProgressiveImageCoder else { return nil }
    let work = work(for: request, in: run)
    let session = DecodeSession(
      coder: coder, options: request.decodeOptions, plan: plan, work: work,
      terms: terms(of: .decoder, work, request, in: run), run: run, configuration: configuration)
    run.whenPreviewsAreWanted { [weak session] in session?.previewsAreWanted() }
    return session
  }

  private func decoded(
    _ bytes: ImageBytes, _ known: PictureRecord?, _ request: ResolvedRequest, _ plan: DecodePlan?,
    in run: SharedRun, response: ResponseHead?
  ) async throws -> Image {
    let work = work(for: request, in: run, response: response)
    let started = configuration.clock.uptime
    do {
      let image = try await onWorker(.decoder, work, request, in: run) {
        // They may have been written by another coder than the one that reads the original.
        let coder = known == nil ? request.coder : try self.coder(reading: bytes, request)
        var image = try request.checks.decode(bytes, by: coder, work: work) { header in
          (plan?.options(for: header) ?? request.decodeOptions).reading(known, isVariant: false)
        }
        known?.restore(&image)
        return image
      }
      return try accepted(image, request, since: started, in: run)
    } catch {
      try Task.checkCancellation()
      throw ImageError.wrappingUncancelled(
        error, as: .badImageData, "The picture could not be decoded.", subject: request.url.absoluteString)
    }
  }

  private func accepted(
    _ image: Image, _ request: ResolvedRequest, since started: Duration, in run: SharedRun
  ) throws(ImageError) -> Image {
    guard !image.traits.contains(.partial) || request.decodeOptions.allowsPartial else {
      throw ImageError(
        .badImageData, "The picture is damaged and only a part of it could be decoded.",
        subject: request.url.absoluteString)
    }
    run.report(.decoded(image.size, configuration.clock.uptime - started))
    return image
  }

  /// A picture that the loader made, at the size that was asked for.
  private func scaled(_ image: Image, _ request: ResolvedRequest, in run: SharedRun) async throws -> Image {
    try request.checks.check(image, madeBy: "The loader")
    let size = request.decodeOptions.targetSize(forPictureAtHand: image)
    guard size != image.size else { return image }
    guard let scaler = configuration.scaler else {
      throw ImageError(
        .transformFailed,
        "The loader made a picture of \(image.size) where \(size) was asked for, and nobody makes it smaller. "
          + "Set ImageManager.Configuration.scaler.", subject: request.subject)
    }
    let work = work(for: request, in: run)
    do {
      var result = try await onWorker(.transformer("scaler"), work, request, in: run) {
        try scaler(size).transformAllFrames(of: image, work: work)
      }
      guard result.size == size else {
        throw ImageError(.transformFailed, "The scaler made \(result.size) where \(size) was asked for.")
      }
      result.traits.insert(.thumbnail)
      return result
    } catch {
      try Task.checkCancellation()
      throw transformationFailed(error, "scaler", request)
    }
  }

  private func transformed(
    by step: any Transformer, after steps: Int, _ source: PixelSource, _ request: ResolvedRequest,
    in run: SharedRun
  ) async throws -> Image {
    let plan = steps == 0 ? DecodePlan(step, request) : nil
    let transformer = plan ?? step
    let work = work(for: request, in: run)
    let movesToo = request.options.contains(.transformAnimated)
    let call = PluginCall.transformer(transformer.cacheKey)
    let previews = PreviewTransform(transformer, movesToo: movesToo, run, configuration.workers) { [self] in
      let work = self.work(for: request, in: run)
      return (work, terms(of: call, work, request, in: run))
    }
    let seat = Seat<Image>(for: run, listener: previews.receive)
    // Held while it is worked on, so that whoever needs the same beginning meanwhile finds it made.
    let held = try await pixels(of: source, request, steps: steps, plan: plan, seat: seat)
    defer { held.release() }
    let image = held.value
    guard !image.isAnimated || movesToo else { return image }
    let started = configuration.clock.uptime
    do {
      var result = try await onWorker(call, work, request, in: run) {
        try transformer.transformAllFrames(of: image, work: work)
      }
      result.traits.insert(.transformed)
      run.report(.transformed(key: transformer.cacheKey, configuration.clock.uptime - started))
      return result
    } catch {
      try Task.checkCancellation()
      throw transformationFailed(error, "transformer \(transformer.cacheKey)", request)
    }
  }

  /// Whatever a transformer threw: an error of its own about data or limits must not pass for one of the URL's.
  private func transformationFailed(_ error: any Error, _ name: String, _ request: ResolvedRequest) -> ImageError {
    guard var limit = error as? ImageError, limit.code == .limitExceeded else {
      return ImageError(.transformFailed, "The \(name) failed.", subject: request.subject, cause: error)
    }
    limit.subject = limit.subject ?? request.subject
    limit.isOfTheMoment = true
    return limit
  }
}

/// What pixels are made of.
enum PixelSource: Sendable {
  /// A transfer, which may still be under way when decoding begins.
  case transfer(SharedWork<TransferKey, Transferred>.Run)
  /// Bytes at hand, from a cache.
  case cached(ImageBytes, CacheRecord)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)
  /// The first frame of a moving picture, as a still one.
  case firstFrame(Image, generation: UInt64)

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let run): .transfer(run: run.number)
    case .cached(_, let record): .bytes(generation: record.generation, record.picture)
    case .image(_, let generation): .bitmap(generation: generation)
    case .firstFrame(_, let generation): .firstFrame(generation: generation)
    }
  }
}
