import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// A transfer: it runs the request modifier, the loader, the checks and the decryptor, and repeats while the retry
/// policy says so.
struct TransferRun: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let key: TransferKey
  /// The time at which the transfer began: an older body never overwrites a newer one.
  let turn: StoreTurn
  let shared: SharedRun

  /// Transfers the original, or gets it from another process that does.
  func make() async throws -> Transferred {
    guard manager.flights != nil, request.mayClaimTransfer(key), shared.mayAskSharedStore else {
      return try await transfer()
    }
    switch try await claim(.transfer, request.originalKey) {
    case .goAhead, .unanswered, .unasked: return try await transfer()
    case .failed(let error): throw error
    case .ready(let entry): if let body = try await body(from: entry) { return .body(body) }
    case .yours(let claim):
      do {
        let transferred = try await transfer()
        publish(transferred, under: claim)
        return transferred
      } catch {
        claim.end(after: error, ofUsualSettings: request.usesOnlyManagerSettings)
        throw error
      }
    }
    return try await transfer()
  }

  private func transfer() async throws -> Transferred {
    var attempt = 1
    var number = 0
    var isConditional = key.isRevalidation
    while true {
      number += 1
      report(.loading(attempt: attempt))
      let loadRequest = request.loadRequest(key, isConditional: isConditional, run: shared)
      do {
        let result = try await load(loadRequest, number: number)
        guard isConditional, isAboutAnotherResponse(result) else {
          if case .notModified = result { report(.notModified) }
          return result
        }
        // The body is loaded without conditions.
        isConditional = false
      } catch {
        try Task.checkCancellation()
        guard let delay = try delay(after: error, attempt: attempt, loadRequest) else { continue }
        try await manager.configuration.clock.sleep(for: delay)
        try Task.checkCancellation()
        attempt += 1
      }
    }
  }

  /// True for a 304 response that confirms another response than the cached one.
  @inline(never)
  private func isAboutAnotherResponse(_ result: Transferred) -> Bool {
    guard case .notModified(let confirmation) = result else { return false }
    return !Validators.isConfirmed(key.conditions, by: confirmation.head)
  }

  /// The time to wait before the next attempt; nil to repeat immediately without counting another attempt.
  ///
  /// Throws when there is no further attempt.
  @inline(never)
  private func delay(
    after error: any Error, attempt: Int, _ loadRequest: LoadRequest
  ) throws(ImageError) -> Duration? {
    let failure = ImageError.wrappingUncancelled(
      error, as: .network, "The loader failed.", subject: request.subject)
    // The loader stopped at the limit that it was given, but a caller with a higher limit has joined since.
    if failure.code == .limitExceeded, shared.allowsMore(than: loadRequest.byteLimit) { return nil }
    let decision = request.retryPolicy?.decision(after: failure, attempt: attempt, request: loadRequest)
    guard !failure.isCancellation, case .retry(let delay)? = decision else { throw failure }
    report(.retrying(after: delay, failure))
    return delay
  }

  private func load(_ loadRequest: LoadRequest, number: Int) async throws -> Transferred {
    manager.spellings.note(request.url)
    let requested = manager.configuration.clock.date
    let sink = try await begin(loadRequest, number: number)
    defer { sink.close() }
    let result: LoadResult
    do {
      result = try await receive(into: sink)
    } catch {
      throw await failure(after: error, sink)
    }
    return try await accept(result, sink, requested: requested)
  }

  @inline(never)
  private func failure(after error: any Error, _ sink: BodySink) async -> any Error {
    if !request.isSafe, let head = sink.answer ?? (error as? ImageError)?.response {
      await forgetChangedURLs(sent: sink.request, answered: head)
    }
    return sink.failure ?? error
  }

  /// Does what comes before the loader.
  @inline(never)
  private func begin(_ loadRequest: LoadRequest, number: Int) async throws -> BodySink {
    try Task.checkCancellation()
    let loadRequest = try await key.withOwnConditions(modify(loadRequest), of: loadRequest)
    shared.emit(.progress(received: 0, expected: nil))
    return newSink(for: loadRequest, number: number)
  }

  /// Waits for the loader.
  @inline(never)
  private func receive(into sink: BodySink) async throws -> LoadResult {
    if let given = request.bytesAtHand { return answer(given, sink.request) }
    // A loader may also load by the same manager, but not a picture that waits for this transfer.
    return try await shared.asPlugin {
      try await request.loader.load(sink.request, into: sink)
    }
  }

  @inline(never)
  private func answer(_ given: BytesAtHand, _ loadRequest: LoadRequest) -> LoadResult {
    .bytes(given.bytes, ResponseHead(url: loadRequest.url))
  }

  private func newSink(for loadRequest: LoadRequest, number: Int) -> BodySink {
    BodySink(
      request: loadRequest, modifier: request.responseModifier, checks: checks, run: shared,
      // Decrypting a body may need another load, which must not wait for the room that this body holds.
      room: request.decryptor == nil ? manager.bodyRoom : nil,
      progressStep: manager.configuration.minimumProgressInterval, number: number, notesAnswer: !request.isSafe,
      clock: manager.configuration.clock)
  }

  private var checks: ResponseChecks {
    guard request.bytesAtHand == nil else { return ResponseChecks(statuses: nil, contentTypes: nil) }
    return ResponseChecks(
      statuses: manager.configuration.acceptedStatuses, otherStatuses: manager.configuration.alsoAcceptedStatuses,
      contentTypes: manager.configuration.acceptedContentTypes)
  }

  private func modify(_ loadRequest: LoadRequest) async throws -> LoadRequest {
    guard let modifier = request.requestModifier else { return loadRequest }
    let subject = loadRequest.url.absoluteString
    let modified: LoadRequest?
    do {
      modified = try await shared.asPlugin { try await modifier.modify(loadRequest) }
    } catch {
      try Task.checkCancellation()
      throw ImageError(.invalidRequest, "The request modifier failed.", subject: subject, cause: error)
    }
    // The caller may have cancelled while the modifier waited for its token.
    try Task.checkCancellation()
    guard let modified else {
      throw ImageError(.invalidRequest, "The request modifier refused the request.", subject: subject)
    }
    // The manager has chosen the caching rules by the method of the original request.
    guard !ResolvedRequest.isSafe(loadRequest.method) || ResolvedRequest.isSafe(modified.method) else {
      throw ImageError(
        .invalidRequest,
        "The request modifier changed \(loadRequest.method) to \(modified.method). Set the method in "
          + "ImageRequest.method.", subject: subject)
    }
    return modified
  }
}

/// Accepting the loader's result. Like what comes before the loader, it is separate from the waiting, so that its
/// variables take no room in thousands of transfers that wait for their loader.
extension TransferRun {
  @inline(never)
  private func accept(
    _ result: LoadResult, _ sink: BodySink, requested: Date
  ) async throws -> Transferred {
    if !request.isSafe { await forgetChangedURLs(sent: sink.request, answered: sink.answer ?? result.head) }
    try Task.checkCancellation()
    let loadRequest = sink.request
    switch result {
    case .image(let image):
      let work = newWork()
      let checks = request.checks
      let generation = try await onWorker(.reading, work) {
        // A picture over this caller's limits is not read, but another caller may allow it.
        (try? checks.check(image, madeBy: "The loader")) == nil
          ? UInt64.random(in: 1 ... .max) : ContentGeneration.of(image)
      }
      return .image(image, generation: generation, turn: turn)
    case .notModified(let head):
      return try await confirm(sink.modified(head), loadRequest, requested: requested)
    case .body(let metrics):
      if let head = sink.head, head.status == 304, loadRequest.isRevalidation {
        return try confirm(head, loadRequest, requested: requested)
      }
      let body = try sink.finish()
      let answer = AnsweredRequest(
        request: loadRequest, head: sink.head!, metrics: metrics, requested: requested, turn: turn)
      return try await accept(body, answer, room: sink.takeReservation())
    case .bytes(let body, let head):
      try await sink.take(typed(head, of: body), of: body)
      let answer = AnsweredRequest(
        request: loadRequest, head: sink.head!, metrics: nil, requested: requested, turn: turn)
      return try await accept(body, answer, room: nil)
    }
  }

  /// The head with the type of the bytes, where no server could state one.
  private func typed(_ head: ResponseHead, of body: ImageBytes) async throws -> ResponseHead {
    guard head.status == nil, head.mimeType == nil, request.bytesAtHand == nil else { return head }
    let work = newWork()
    let format = try await onWorker(.reading, work) { [manager, request] in
      manager.format(of: body, by: request.coder, work: work)
    }
    var head = head
    head.headers["Content-Type"] = format?.mimeType
    return head
  }

  /// Accepts a 304 response only if the request had conditions.
  private func confirm(
    _ head: ResponseHead, _ loadRequest: LoadRequest, requested: Date
  ) throws(ImageError) -> Transferred {
    guard loadRequest.isRevalidation else {
      throw .unexpectedNotModified(head, subject: loadRequest.url.absoluteString)
    }
    try head.checkSize(subject: request.subject)
    return .notModified(
      Transferred.Confirmation(
        head: head, requested: requested, received: manager.configuration.clock.date, turn: turn,
        isUnwanted: loadRequest.forbidsStoring(head)))
  }

  private func accept(
    _ body: ImageBytes, _ answer: AnsweredRequest, room: BodyRoom.Reservation?
  ) async throws -> Transferred {
    guard !body.isEmpty else {
      throw ImageError(.badImageData, "The body is empty.", subject: request.subject, response: answer.head)
    }
    report(.loaded(byteCount: body.count, answer.metrics), began: answer.requested)
    let plain = try await decrypt(body, answer.head)
    let work = newWork()
    let (generation, format) = try await onWorker(.reading, work) { [manager, request] in
      (try ContentGeneration.of(plain), manager.format(of: plain, by: request.coder, work: work))
    }
    var record = answer.record(for: request, generation: generation, received: manager.configuration.clock.date)
    if let format { record.mimeType = format.mimeType }
    return .body(
      LoadedBody(
        bytes: plain, head: answer.head, metrics: answer.metrics, record: record, turn: turn, reservation: room))
  }

  private func decrypt(_ body: ImageBytes, _ head: ResponseHead) async throws -> ImageBytes {
    guard let decryptor = request.decryptor else { return body }
    let plain: ImageBytes
    do {
      plain = try await shared.asPlugin { try await decryptor.decrypt(body, head: head) }
      try Task.checkCancellation()
    } catch {
      try Task.checkCancellation()
      throw ImageError(.badImageData, "The body could not be decrypted.", subject: request.subject, cause: error)
    }
    if let limit = shared.limit(exceededBy: plain.count) {
      throw BodySink.tooLarge(limit: limit, subject: request.subject)
    }
    return plain
  }
}

extension ManagerRun {
  /// Joins a transfer without conditions or starts one, without waiting for its end.
  @inline(never)
  func startTransfer() -> JoinedRun<Transferred> { startTransfer(TransferKey(request)) }

  /// Joins a transfer or starts one, without waiting for its end.
  @inline(never)
  func startTransfer(_ key: TransferKey) -> JoinedRun<Transferred> {
    join(manager.transferRuns, key, byteLimit: request.limits.downloadBytes) {
      [manager, request, mayAsk = shared.mayAskSharedStore] shared in
      // Nobody can hand the original over while the shared store fails.
      if !mayAsk { shared.leaveOutSharedStore() }
      let turn = manager.storeLanes.begin(request.originalKey)
      return try await TransferRun(manager: manager, request: request, key: key, turn: turn, shared: shared).make()
    }
  }
}

extension ResolvedRequest {
  /// Makes the request for the loader.
  ///
  /// - Parameter isConditional: true to ask only for changes since the cached response.
  @inline(never)
  func loadRequest(_ key: TransferKey, isConditional: Bool, run: SharedRun) -> LoadRequest {
    var fields = headers
    if key.isRevalidation {
      // A response to the caller's own conditions would not be about the cached response.
      fields = fields.withoutConditions
      if isConditional { fields.merge(key.conditions) }
    }
    var result = LoadRequest(
      url: url, method: method, headers: fields, body: body, handlesCookies: options.contains(.handleCookies),
      allowsInvalidCertificates: options.contains(.allowInvalidCertificates), byteLimit: run.byteLimit,
      key: originalKey, priority: run.priority, context: context)
    if isConditional { result.validatedURL = key.validatedURL }
    return result
  }
}

extension TransferKey {
  /// The request that a modifier made of another one, without conditions of the modifier's own.
  ///
  /// A response to such conditions would not be about the cached response. The modifier may leave conditions out.
  fileprivate func withOwnConditions(_ modified: LoadRequest, of original: LoadRequest) -> LoadRequest {
    guard isRevalidation else { return modified }
    var request = modified
    for name in HTTPHeaders.conditions where modified.headers[name] != nil {
      request.headers[name] = original.headers[name]
    }
    return request
  }
}

extension LoadRequest {
  /// True when the request is conditional, so that it asks only for changes.
  var isRevalidation: Bool { headers.hasConditions }
}

extension ImageManager {
  /// The coder for stored bytes, which the manager may have encoded with another coder than the one that reads the
  /// original.
  func coder(reading bytes: ImageBytes, for request: ResolvedRequest) throws -> any ImageCoder {
    let isOwn = try request.coder.canDecode(prefix: bytes.prefix(CoderRegistry.sniffLength))
    return isOwn ? request.coder : configuration.coders
  }

  /// The format of bytes by their signature; nil when no coder knows it.
  ///
  /// The coder of the request is asked first.
  func format(of bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext) -> ImageFormat? {
    let registry = coder as? CoderRegistry ?? configuration.coders.adding(coder)
    return try? registry.format(of: bytes, work: work)
  }
}

extension ImageError {
  static func unexpectedNotModified(_ head: ResponseHead, subject: String) -> ImageError {
    ImageError(
      .notModified, "The server said that the picture has not changed, but no cache has it.",
      subject: subject, response: head)
  }
}
