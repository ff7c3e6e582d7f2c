import FoundationEssentials

/// The transfer: request modifiers, the loader, the checks, the decryptor, and again while the policy says so.
extension ImageManager {
  /// Joins a transfer, or starts it, and waits for it.
  func transferred(
    _ key: TransferKey, _ request: ResolvedRequest, for run: SharedRun
  ) async throws -> Held<Transferred> {
    try await transferRuns.held(by: transferring(key, request, for: run))
  }

  /// Joins a transfer, or starts it, at once.
  func transferring(
    _ key: TransferKey, _ request: ResolvedRequest, for run: SharedRun
  ) -> SharedWork<TransferKey, Transferred>.Place {
    let seat = Seat<Transferred>(for: run, byteLimit: request.limits.downloadBytes)
    let place = transferRuns.join(key, seat: seat) { inner in
      try await self.transfer(key, request, in: inner)
    }
    // What joins another's transfer comes to the loader no more.
    if place.run.turn != run.priority.turn { departures.leave(run.priority.turn) }
    return place
  }

  private func transfer(
    _ key: TransferKey, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Transferred {
    let turn = storeLanes.begin(request.originalKey)
    var attempt = 1
    var tries = 0
    var isConditional = key.isRevalidation
    while true {
      tries += 1
      run.report(.loading(attempt: attempt))
      let loadRequest = request.loadRequest(key, isConditional: isConditional, run: run)
      do {
        let result = try await transferOnce(request, loadRequest, number: tries, turn: turn, in: run)
        if case .notModified(let confirmation) = result {
          guard !isConditional || Validators.isConfirmed(key.conditions, by: confirmation.head) else {
            // It speaks of another response than ours, so the whole is loaded, for once without a question.
            isConditional = false
            continue
          }
          run.report(.notModified)
        }
        return result
      } catch {
        try Task.checkCancellation()
        guard let delay = try delay(after: error, attempt: attempt, request, loadRequest, in: run) else { continue }
        try await configuration.clock.sleep(for: delay)
        try Task.checkCancellation()
        attempt += 1
      }
    }
  }

  /// How long to wait before another attempt, nil where this one goes on; throws where there is to be none.
  @inline(never)
  private func delay(
    after error: any Error, attempt: Int, _ request: ResolvedRequest, _ loadRequest: LoadRequest, in run: SharedRun
  ) throws(ImageError) -> Duration? {
    let failure = ImageError.wrappingUncancelled(
      error, as: .network, "The loader failed.", subject: request.subject)
    // The loader kept to the limit it was told; someone who allows more has come since.
    if failure.code == .limitExceeded, run.allowsMore(than: loadRequest.byteLimit) { return nil }
    let decision = request.retryPolicy?.decision(after: failure, attempt: attempt, request: loadRequest)
    guard !failure.isCancellation, case .retry(let delay)? = decision else { throw failure }
    run.report(.retrying(after: delay, failure))
    return delay
  }

  private func transferOnce(
    _ request: ResolvedRequest, _ loadRequest: LoadRequest, number: Int, turn: StoreTurn, in run: SharedRun
  ) async throws -> Transferred {
    let requested = configuration.clock.date
    // A modifier may take its time, or load by the same manager: nobody waits for that.
    await departures.depart(run.priority.turn)
    try Task.checkCancellation()
    let loadRequest = try await modified(loadRequest, by: request.requestModifier, in: run)
    run.emit(.progress(received: 0, expected: nil))
    let sink = BodySink(
      request: loadRequest, modifier: request.responseModifier, checks: checks(for: request), run: run,
      // What is decrypted may need another load first, and must not keep it waiting.
      room: request.decryptor == nil ? bodyRoom : nil, progressStep: configuration.minimumProgressInterval,
      number: number, notesAnswer: !request.isSafe)
    defer { sink.close() }
    let result: LoadResult
    do {
      // A loader may load by the same manager, too, but not what waits for itself.
      result = try await RunChain.$current.withValue(run.chain) {
        try await request.loader.load(loadRequest, into: sink)
      }
    } catch {
      if !request.isSafe, let head = sink.answer ?? (error as? ImageError)?.response {
        await forgetWhatChanged(by: loadRequest, answered: head, request, in: run)
      }
      throw sink.failure ?? error
    }
    if !request.isSafe {
      await forgetWhatChanged(by: loadRequest, answered: sink.answer ?? result.head, request, in: run)
    }
    try Task.checkCancellation()
    return try await transferred(result, sink, loadRequest, requested: requested, turn: turn, request, in: run)
  }

  /// What the loader brought; apart from waiting for it, so that thousands who wait need no room for it.
  private func transferred(
    _ result: LoadResult, _ sink: BodySink, _ loadRequest: LoadRequest, requested: Date, turn: StoreTurn,
    _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Transferred {
    switch result {
    case .image(let image):
      let work = work(for: request, in: run)
      let checks = request.checks
      let generation = try await onWorker(.reading, work, request, in: run) {
        // One that is too large for this caller is not even looked at; another one may allow it.
        (try? checks.check(image, madeBy: "The loader")) == nil
          ? UInt64.random(in: 1 ... .max) : ContentGeneration.of(image)
      }
      return .image(image, generation: generation, turn: turn)
    case .notModified(let head):
      return try notModified(head, loadRequest, requested: requested, turn: turn)
    case .body(let metrics):
      if let head = sink.head, head.status == 304, loadRequest.isRevalidation {
        return try notModified(head, loadRequest, requested: requested, turn: turn)
      }
      let body = try sink.finish()
      let exchange = Exchange(
        request: loadRequest, head: sink.head!, metrics: metrics, requested: requested, turn: turn)
      return try await checked(body, sink.takeShare(), exchange, request, in: run)
    case .bytes(let body, let head):
      try await sink.take(head, of: body)
      let exchange = Exchange(request: loadRequest, head: sink.head!, metrics: nil, requested: requested, turn: turn)
      return try await checked(body, nil, exchange, request, in: run)
    }
  }

  private func modified(
    _ request: LoadRequest, by modifier: (any RequestModifier)?, in run: SharedRun
  ) async throws -> LoadRequest {
    guard let modifier else { return request }
    let result: LoadRequest?
    do {
      result = try await RunChain.$current.withValue(run.chain) { try await modifier.modify(request) }
    } catch {
      try Task.checkCancellation()
      throw ImageError(
        .invalidRequest, "The request modifier failed.", subject: request.url.absoluteString, cause: error)
    }
    // A caller may have given up while the modifier waited for its token.
    try Task.checkCancellation()
    guard let result else {
      throw ImageError(
        .invalidRequest, "The request modifier refused the request.", subject: request.url.absoluteString)
    }
    // What may be cached was decided by the method that was asked for.
    guard !ResolvedRequest.isSafe(request.method) || ResolvedRequest.isSafe(result.method) else {
      throw ImageError(
        .invalidRequest,
        "The request modifier made \(result.method) of \(request.method). Ask for that method in ImageRequest.method.",
        subject: request.url.absoluteString)
    }
    return result
  }

  /// A source that was not asked whether something changed has nothing to say that nothing did.
  private func notModified(
    _ head: ResponseHead, _ request: LoadRequest, requested: Date, turn: StoreTurn
  ) throws(ImageError) -> Transferred {
    guard request.isRevalidation else { throw .notModifiedUnasked(head, subject: request.url.absoluteString) }
    return .notModified(
      Transferred.Confirmation(head: head, requested: requested, received: configuration.clock.date, turn: turn))
  }

  private func checked(
    _ body: ImageBytes, _ share: BodyRoom.Share?, _ exchange: Exchange, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Transferred {
    guard !body.isEmpty else {
      throw ImageError(
        .badImageData, "The body is empty.", subject: request.subject, response: exchange.head)
    }
    run.report(.loaded(byteCount: body.count, exchange.metrics))
    let plain = try await decrypted(body, exchange.head, request, in: run)
    let work = work(for: request, in: run)
    let (generation, format) = try await onWorker(.reading, work, request, in: run) {
      (try ContentGeneration.of(plain), self.format(of: plain, by: request.coder, work: work))
    }
    var record = exchange.record(
      for: request, generation: generation, received: configuration.clock.date)
    if let format { record.mimeType = format.mimeType }
    return .body(
      LoadedBody(
        bytes: plain, head: exchange.head, metrics: exchange.metrics, record: record, turn: exchange.turn,
        share: share))
  }

  private func decrypted(
    _ body: ImageBytes, _ head: ResponseHead, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> ImageBytes {
    guard let decryptor = request.decryptor else { return body }
    let plain: ImageBytes
    do {
      plain = try await RunChain.$current.withValue(run.chain) { try await decryptor.decrypt(body, head: head) }
      try Task.checkCancellation()
    } catch {
      try Task.checkCancellation()
      throw ImageError(
        .badImageData, "The body could not be decrypted.", subject: request.subject, cause: error)
    }
    if let limit = run.limit(exceededBy: plain.count) {
      throw BodySink.tooLarge(limit: limit, subject: request.subject)
    }
    return plain
  }

  /// The format of bytes by their signature, nil when no coder knows it; a request's own coder is asked first.
  func format(of bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext) -> ImageFormat? {
    let registry = coder as? CoderRegistry ?? configuration.coder.adding(coder)
    return try? registry.format(of: bytes, work: work)
  }

  private func checks(for request: ResolvedRequest) -> ResponseChecks {
    guard !request.hasBytesAtHand else { return ResponseChecks(statuses: nil, contentTypes: nil) }
    return ResponseChecks(
      statuses: configuration.acceptedStatuses, otherStatuses: configuration.alsoAcceptedStatuses,
      contentTypes: configuration.acceptedContentTypes)
  }
}

extension ImageError {
  static func notModifiedUnasked(_ head: ResponseHead, subject: String) -> ImageError {
    ImageError(
      .notModified, "The server said that nothing changed, but there is nothing in the cache to keep.",
      subject: subject, response: head)
  }
}
