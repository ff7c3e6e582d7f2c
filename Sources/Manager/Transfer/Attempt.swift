import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers

/// One call of the loader, with the modifiers before it and the checks of what it brings.
///
/// What comes before the loader and what follows it are functions of their own, so that their variables take no room in
/// thousands of transfers that wait for their loader.
struct Attempt: Sendable {
  let run: Run
  let key: TransferKey
  /// The time at which the transfer began.
  let turn: StoreTurn
  /// The number of the attempt, counting those that the retry policy does not count.
  let number: Int

  private var request: ResolvedRequest { run.request }

  func make(_ loadRequest: LoadRequest) async throws -> Transferred {
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

  /// Does what comes before the loader.
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
    // A loader may also load by the same manager, but not a picture that waits for this transfer.
    return try await run.shared.asPlugin { try await request.loader.load(sink.request, into: sink) }
  }

  @inline(never)
  private func answer(_ given: BytesAtHand, _ loadRequest: LoadRequest) -> LoadResult {
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
      // Decrypting a body may need another load, which must not wait for the room that this body holds.
      room: request.decryptor == nil ? run.manager.bodyRoom : nil,
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
