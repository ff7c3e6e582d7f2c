import EaselCore
import EaselHTTP
import EaselTiers

/// Transfers an original for all callers that wait for it, and repeats as the retry policy decides.
struct Transfer: Sendable {
  let run: Run
  let key: TransferKey
  /// The time at which the transfer began: an older body never overwrites a newer one.
  let turn: StoreTicket

  /// Joins a transfer without conditions, or starts one; does not wait for its end.
  @inline(never)
  static func join(for run: Run) -> JoinedRun<TransferResult> { join(TransferKey(run.request), for: run) }

  /// Joins a transfer, or starts one; does not wait for its end.
  @inline(never)
  static func join(_ key: TransferKey, for run: Run) -> JoinedRun<TransferResult> {
    run.join(run.manager.transferRuns, key, byteLimit: run.request.limits.downloadBytes) {
      [manager = run.manager, request = run.request, mayAsk = run.shared.mayAskSharedStore] shared in
      // While the shared store fails, no other process can pass the original on.
      if !mayAsk { shared.leaveOutSharedStore() }
      let turn = manager.storeQueues.begin(request.originalKey)
      return try await Transfer(
        run: Run(manager: manager, request: request, shared: shared), key: key, turn: turn
      ).make()
    }
  }

  private func make() async throws -> TransferResult {
    guard Fleet(run: run).mayClaimTransfer(key) else { return try await transfer() }
    return try await FleetTransfer(run: run, turn: turn).transferred { try await transfer() }
  }

  private func transfer() async throws -> TransferResult {
    var attempt = 1
    var number = 0
    var isConditional = key.isRevalidation
    while true {
      number += 1
      run.report(.loading(attempt: attempt))
      let loadRequest = request(isConditional: isConditional)
      do {
        let result = try await Attempt(run: run, key: key, turn: turn, number: number).make(loadRequest)
        guard isConditional, isAboutAnotherResponse(result) else {
          if case .notModified = result { run.report(.notModified) }
          return result
        }
        // The next attempt loads the body without conditions.
        isConditional = false
      } catch {
        try Task.checkCancellation()
        guard let delay = try delay(after: error, attempt: attempt, loadRequest) else { continue }
        try await run.clock.sleep(for: delay)
        try Task.checkCancellation()
        attempt += 1
      }
    }
  }

  /// Makes the request for the loader; with `isConditional`, the server sends a body only if it has changed.
  @inline(never)
  private func request(isConditional: Bool) -> LoadRequest {
    let request = run.request
    var fields = request.headers
    if key.isRevalidation {
      // A response to the caller's own conditions would not be about the cached response.
      fields = fields.withoutConditions
      if isConditional { fields.merge(key.conditions) }
    }
    var result = LoadRequest(
      url: request.url, method: request.method, headers: fields, body: request.body,
      handlesCookies: request.options.contains(.handleCookies),
      allowsInvalidCertificates: request.options.contains(.allowInvalidCertificates), byteLimit: run.shared.byteLimit,
      key: request.originalKey, priority: run.shared.priority, context: request.context)
    result.run = run.shared.name.number
    if isConditional { result.validatedURL = key.validatedURL }
    return result
  }

  /// True for a 304 response that confirms another response than the cached one.
  @inline(never)
  private func isAboutAnotherResponse(_ result: TransferResult) -> Bool {
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
      error, as: .network, "The loader failed.", subject: run.request.subject)
    // The loader stopped at the given limit, but a caller with a higher limit has joined since.
    if failure.code == .limitExceeded, run.shared.allowsMore(than: loadRequest.byteLimit) { return nil }
    let decision = run.request.retryPolicy?.decision(after: failure, attempt: attempt, request: loadRequest)
    guard !failure.isCancellation, case .retry(let delay)? = decision else { throw failure }
    run.report(.retrying(after: delay, failure))
    return delay
  }
}
