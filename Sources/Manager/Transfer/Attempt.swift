import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// One call of the loader, with the modifiers before it and the checks after it.
///
/// The work before and after the loader's call is in separate functions. Their variables then take no room in the
/// thousands of transfers that wait for their loader.
struct Attempt: Sendable {
  let run: Run
  let key: TransferKey
  /// The time at which the transfer began.
  let turn: StoreTicket
  /// The number of the attempt, including attempts that the retry policy does not count.
  let number: Int

  private var request: ResolvedRequest { run.request }

  @inline(never)
  func make(_ loadRequest: LoadRequest) async throws -> TransferResult {
    run.manager.spellings.note(request.url)
    let requested = run.clock.date
    let sink = try await begin(loadRequest)
    defer { sink.close() }
    let result: LoadResult
    do {
      result = try await receive(into: sink)
    } catch {
      throw await failure(after: error, sink)
    }
    return try await Acceptance(run: run, turn: turn, sink: sink, requested: requested).transferred(result)
  }

  /// Does the work before the loader is called.
  @inline(never)
  private func begin(_ loadRequest: LoadRequest) async throws -> BodySink {
    try Task.checkCancellation()
    let loadRequest = try await key.withOwnConditions(modify(loadRequest), of: loadRequest)
    run.shared.emit(.progress(received: 0, expected: nil))
    return newSink(for: loadRequest)
  }

  /// Waits for the loader.
  @inline(never)
  private func receive(into sink: BodySink) async throws -> LoadResult {
    if let given = request.bytesAtHand { return answer(given, sink.request) }
    // A loader may load by the same manager, but must not load a picture that waits for this transfer.
    return try await run.shared.asPlugin { try await request.loader.load(sink.request, into: sink) }
  }

  @inline(never)
  private func answer(_ given: SuppliedBytes, _ loadRequest: LoadRequest) -> LoadResult {
    .bytes(given.bytes, ResponseHead(url: loadRequest.url))
  }

  @inline(never)
  private func failure(after error: any Error, _ sink: BodySink) async -> any Error {
    if !request.isSafe, let head = sink.answer ?? (error as? ImageError)?.response {
      await ChangedOriginals(run: run).forget(sent: sink.request, answered: head)
    }
    return sink.failure ?? error
  }

  private func newSink(for loadRequest: LoadRequest) -> BodySink {
    let configuration = run.manager.configuration
    let checks =
      request.bytesAtHand != nil
      ? ResponseChecks(statuses: nil, contentTypes: nil)
      : ResponseChecks(
        statuses: configuration.acceptedStatuses, otherStatuses: configuration.alsoAcceptedStatuses,
        contentTypes: configuration.acceptedContentTypes)
    return BodySink(
      rules: HeadRules(request: loadRequest, modifier: request.responseModifier, checks: checks, run: run.shared),
      // Decrypting a body may need another load, and that load must not wait for the room that this body holds.
      room: request.decryptor == nil ? run.manager.bodyMemory : nil,
      progressStep: configuration.minimumProgressInterval, number: number, notesAnswer: !request.isSafe,
      clock: configuration.clock)
  }

  private func modify(_ loadRequest: LoadRequest) async throws -> LoadRequest {
    guard let modifier = request.requestModifier else { return loadRequest }
    let subject = loadRequest.url.absoluteString
    let modified: LoadRequest?
    do {
      modified = try await run.shared.asPlugin { try await modifier.modify(loadRequest) }
    } catch {
      try Task.checkCancellation()
      throw ImageError(.invalidRequest, "The request modifier failed.", subject: subject, cause: error)
    }
    // The caller may have cancelled while the modifier waited, for example for a token.
    try Task.checkCancellation()
    guard let modified else {
      throw ImageError(.invalidRequest, "The request modifier refused the request.", subject: subject)
    }
    // The manager has already chosen the caching rules by the method of the original request.
    guard !ResolvedRequest.isSafe(loadRequest.method) || ResolvedRequest.isSafe(modified.method) else {
      throw ImageError(
        .invalidRequest,
        "The request modifier changed \(loadRequest.method) to \(modified.method). Set the method in "
          + "ImageRequest.method.", subject: subject)
    }
    return modified
  }
}

extension TransferKey {
  /// The modified request, in which conditions have the values of the original request.
  ///
  /// A response to other conditions would not be about the cached response. The modifier may leave conditions out.
  fileprivate func withOwnConditions(_ modified: LoadRequest, of original: LoadRequest) -> LoadRequest {
    guard isRevalidation else { return modified }
    var request = modified
    for name in HTTPHeaders.conditions where modified.headers[name] != nil {
      request.headers[name] = original.headers[name]
    }
    return request
  }
}

/// Accepts the result of a loader: checks and decrypts it, and makes its record.
struct Acceptance: Sendable {
  let run: Run
  /// The time at which the transfer began.
  let turn: StoreTicket
  let sink: BodySink
  /// The time at which the request was sent.
  let requested: Date

  private var request: ResolvedRequest { run.request }

  @inline(never)
  func transferred(_ result: LoadResult) async throws -> TransferResult {
    if !request.isSafe {
      await ChangedOriginals(run: run).forget(sent: sink.request, answered: sink.answer ?? result.head)
    }
    try Task.checkCancellation()
    switch result {
    case .image(let image):
      let checks = request.checks
      let generation = try await run.onWorker(.reading, run.newWork()) {
        // A picture over this caller's limits is not read, but the limits of another caller may allow it.
        (try? checks.check(image, madeBy: "The loader")) == nil
          ? UInt64.random(in: 1 ... .max) : ContentGeneration.of(image)
      }
      return .image(image, generation: generation, turn: turn)
    case .notModified(let head):
      return try await confirmed(by: sink.modified(head))
    case .body(let metrics):
      if let head = sink.head, head.status == 304, sink.request.headers.hasConditions { return try confirmed(by: head) }
      return try await accepted(sink.finish(), metrics, room: sink.takeReservation())
    case .bytes(let body, let head):
      try await sink.take(typed(head, of: body), of: body)
      return try await accepted(body, nil, room: nil)
    }
  }

  /// The head with the type of the bytes, if no server stated a type.
  private func typed(_ head: ResponseHead, of body: ImageBytes) async throws -> ResponseHead {
    guard head.status == nil, head.mimeType == nil, request.bytesAtHand == nil else { return head }
    let work = run.newWork()
    let format = try await run.onWorker(.reading, work) { run.format(of: body, work: work) }
    var head = head
    head.headers["Content-Type"] = format?.mimeType
    return head
  }

  /// Accepts a 304 response only if the request had conditions.
  private func confirmed(by head: ResponseHead) throws(ImageError) -> TransferResult {
    guard sink.request.headers.hasConditions else {
      throw .unexpectedNotModified(head, subject: sink.request.url.absoluteString)
    }
    try head.checkSize(subject: request.subject)
    let answer = AnsweredRequest(request: sink.request, head: head, requested: requested)
    return .notModified(
      TransferResult.Confirmation(
        head: head, requested: requested, received: run.clock.date, turn: turn, isUnwanted: answer.forbidsStoring))
  }

  private func accepted(
    _ body: ImageBytes, _ metrics: LoadResult.Metrics?, room: BodyMemory.Reservation?
  ) async throws -> TransferResult {
    let answer = AnsweredRequest(request: sink.request, head: sink.head!, requested: requested)
    guard !body.isEmpty else {
      throw ImageError(.badImageData, "The body is empty.", subject: request.subject, response: answer.head)
    }
    run.report(.loaded(byteCount: body.count, metrics), began: requested)
    let plain = try await decrypted(body, answer.head)
    let work = run.newWork()
    let (generation, format) = try await run.onWorker(.reading, work) {
      (try ContentGeneration.of(plain), run.format(of: plain, work: work))
    }
    var record = self.record(of: answer, generation: generation)
    if let format { record.mimeType = format.mimeType }
    return .body(
      LoadedBody(
        bytes: plain, head: answer.head, metrics: metrics, record: record, turn: turn, reservation: room))
  }

  private func record(of answer: AnsweredRequest, generation: UInt64) -> CacheRecord {
    let received = run.clock.date
    let fields = answer.varyingFields(
      neutral: request.neutralHeaders, known: request.headers,
      isNamed: request.requestModifier.map { $0.cacheIdentity != .instance } ?? true)
    var response = answer.response(varyingWith: fields, received: received)
    response?.isUnwanted = request.cachePolicy == .http && answer.forbidsStoring
    return CacheRecord(
      stored: received, generation: generation, mimeType: answer.head.mimeType, response: response,
      extendedData: request.context[.extendedData])
  }

  private func decrypted(_ body: ImageBytes, _ head: ResponseHead) async throws -> ImageBytes {
    guard let decryptor = request.decryptor else { return body }
    let plain: ImageBytes
    do {
      plain = try await run.shared.asPlugin { try await decryptor.decrypt(body, head: head) }
      try Task.checkCancellation()
    } catch {
      try Task.checkCancellation()
      throw ImageError(.badImageData, "The body could not be decrypted.", subject: request.subject, cause: error)
    }
    if let limit = run.shared.limit(exceededBy: plain.count) {
      throw ImageError.overByteLimit(limit, subject: request.subject)
    }
    return plain
  }
}
