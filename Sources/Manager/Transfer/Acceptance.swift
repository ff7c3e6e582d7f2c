import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// Accepts what a loader brought: checks it, decrypts it, and makes its record.
struct Acceptance: Sendable {
  let run: Run
  /// The time at which the transfer began.
  let turn: StoreTurn
  let sink: BodySink
  /// The time at which the request was sent.
  let requested: Date

  private var request: ResolvedRequest { run.request }

  @inline(never)
  func transferred(_ result: LoadResult) async throws -> Transferred {
    if !request.isSafe {
      await ChangedOriginals(run: run).forget(sent: sink.request, answered: sink.answer ?? result.head)
    }
    try Task.checkCancellation()
    switch result {
    case .image(let image):
      let checks = request.checks
      let generation = try await run.onWorker(.reading, run.newWork()) {
        // A picture over this caller's limits is not read, but another caller may allow it.
        (try? checks.check(image, madeBy: "The loader")) == nil
          ? UInt64.random(in: 1 ... .max) : ContentGeneration.of(image)
      }
      return .image(image, generation: generation, turn: turn)
    case .notModified(let head):
      return try await confirmed(by: sink.modified(head))
    case .body(let metrics):
      if let head = sink.head, head.status == 304, sink.request.isRevalidation { return try confirmed(by: head) }
      return try await accepted(sink.finish(), metrics, room: sink.takeReservation())
    case .bytes(let body, let head):
      try await sink.take(typed(head, of: body), of: body)
      return try await accepted(body, nil, room: nil)
    }
  }

  /// The head with the type of the bytes, where no server could state one.
  private func typed(_ head: ResponseHead, of body: ImageBytes) async throws -> ResponseHead {
    guard head.status == nil, head.mimeType == nil, request.bytesAtHand == nil else { return head }
    let work = run.newWork()
    let format = try await run.onWorker(.reading, work) { run.format(of: body, work: work) }
    var head = head
    head.headers["Content-Type"] = format?.mimeType
    return head
  }

  /// Accepts a 304 response only if the request had conditions.
  private func confirmed(by head: ResponseHead) throws(ImageError) -> Transferred {
    guard sink.request.isRevalidation else {
      throw .unexpectedNotModified(head, subject: sink.request.url.absoluteString)
    }
    try head.checkSize(subject: request.subject)
    let answer = AnsweredRequest(request: sink.request, head: head, requested: requested)
    return .notModified(
      Transferred.Confirmation(
        head: head, requested: requested, received: run.clock.date, turn: turn, isUnwanted: answer.forbidsStoring))
  }

  private func accepted(
    _ body: ImageBytes, _ metrics: TransferMetrics?, room: BodyRoom.Reservation?
  ) async throws -> Transferred {
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
