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
    case .image(let image, _): return image
    case .cached(let bytes, _): return try await decoded(bytes, request, plan, in: run)
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
      case .notModified(let head, _, _):
        throw ImageError(.notModified, "There is nothing to decode, since nothing changed.", response: head)
      case .image(let image, _, _):
        await session?.close()
        return image
      case .body(let body):
        defer { body.letGoOfRoom() }
        let started = configuration.clock.uptime
        if let image = try await session?.finish(body.bytes) {
          return try accepted(image, request, since: started, in: run)
        }
        return try await decoded(body.bytes, request, plan, in: run)
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
    let session = DecodeSession(
      coder: coder, options: request.decodeOptions, plan: plan, work: work(for: request, in: run), run: run,
      configuration: configuration)
    run.whenPreviewsAreWanted { [weak session] in session?.previewsAreWanted() }
    return session
  }

  private func decoded(
    _ bytes: ImageBytes, _ request: ResolvedRequest, _ plan: DecodePlan?, in run: SharedRun
  ) async throws -> Image {
    let work = work(for: request, in: run)
    let started = configuration.clock.uptime
    do {
      let image = try await onWorker(in: run) {
        let options = try plan?.options(for: bytes, work: work) ?? request.decodeOptions
        return try request.coder.decode(bytes, options: options, work: work)
      }
      return try accepted(image, request, since: started, in: run)
    } catch {
      throw ImageError.wrapping(
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

  private func transformed(
    by step: any Transformer, after steps: Int, _ source: PixelSource, _ request: ResolvedRequest,
    in run: SharedRun
  ) async throws -> Image {
    let plan = steps == 0 ? DecodePlan(step, request) : nil
    let transformer = plan ?? step
    let work = work(for: request, in: run)
    let movesToo = request.options.contains(.transformAnimated)
    let previews = PreviewTransform(transformer, movesToo: movesToo, work, run, configuration.workers)
    let seat = Seat<Image>(for: run, listener: previews.receive)
    // Held while it is worked on, so that whoever needs the same beginning meanwhile finds it made.
    let held = try await pixels(of: source, request, steps: steps, plan: plan, seat: seat)
    defer { held.release() }
    let image = held.value
    guard !image.isAnimated || movesToo else { return image }
    let started = configuration.clock.uptime
    do {
      var result = try await onWorker(in: run) { try transformer.transformAllFrames(of: image, work: work) }
      result.traits.insert(.transformed)
      run.report(.transformed(key: transformer.cacheKey, configuration.clock.uptime - started))
      return result
    } catch {
      try Task.checkCancellation()
      // Whatever it threw: an error of its own about data or limits must not pass for one of the URL's.
      throw ImageError(
        .transformFailed, "The transformer \(transformer.cacheKey) failed.", subject: request.subject, cause: error)
    }
  }

  /// Runs on a worker thread, and tells the work when nobody wants its result any more.
  func onWorker<Value: Sendable>(
    in run: SharedRun, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let value = try await configuration.workers.run(at: run.priority, body)
    try Task.checkCancellation()
    return value
  }

  func work(for request: ResolvedRequest, in run: SharedRun) -> WorkContext {
    WorkContext(
      limits: request.limits, context: request.context, cancellation: run.cancellation, clock: configuration.clock)
  }
}
