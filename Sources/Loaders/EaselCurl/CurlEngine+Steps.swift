import CEaselCurl
import EaselCore

/// Starts and ends the steps of transfers.
extension CurlEngine {
  /// Starts a step of a transfer that has a place.
  func start(_ step: TransferStep, of transfer: Transfer) {
    var step = step
    if let partial = transfer.partial, step.range == nil, step.redirectCount == 0 { step.range = BodyRange(partial) }
    guard let handle = idleHandles.popLast() ?? EasyHandle(loop: loop) else {
      return finish(transfer, after: nil, .failure(ImageError.noMemory(transfer.subject)))
    }
    let exchange = CurlExchange(step, of: transfer, handle: handle)
    transfer.stage = .running(exchange)
    handle.prepare(for: exchange)
    setOptions(of: handle, for: exchange)
    guard easel_loop_add(loop, handle.easy) == CURLM_OK else {
      return stop(transfer, .failure(ImageError.noMemory(transfer.subject)))
    }
    noteDeadline(of: transfer)
  }

  /// Continues after the sink is ready: delivers first the bytes that are held here, then those that curl holds.
  func resume(_ exchange: CurlExchange) {
    guard exchange.deliverHeldBytes() else { return end(exchange, CURLE_WRITE_ERROR) }
    guard !exchange.isPaused, case .receiving(let body) = exchange.phase else { return }
    if body.hasEndedInCurl { return end(exchange, CURLE_OK) }
    guard body.takePauseInCurl() else { return }
    // curl delivers its bytes inside this call, and would continue even if that delivery fails.
    let code = curl_easy_pause(exchange.handle.easy, CURLPAUSE_CONT)
    if code != CURLE_OK || exchange.failure != nil { end(exchange, code) }
  }

  func endFinishedLegs() {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while easel_loop_next_done(loop, &easy, &code) {
      guard let owner = easel_easy_receiver(easy)?.pointee.owner else { continue }
      end(CurlExchange.exchange(owner), code)
    }
  }

  /// Handles the end of a step.
  func end(_ exchange: CurlExchange, _ code: CURLcode) {
    if code == CURLE_OK {
      if case .holdingHead = exchange.phase { _ = exchange.acceptHeldHead() }
      if exchange.failure == nil, waitsForSink(exchange) { return }
    }
    let (transfer, handle) = (exchange.transfer, exchange.handle)
    if handle.isFlooded { exchange.fail(.flooded(limit: transfer.mostBytes, subject: transfer.subject)) }
    let detail = handle.detail
    let wasCut = code != CURLE_OK && easel_loop_was_cut(loop, handle.easy)
    release(exchange)
    if let failure = exchange.failure { return finish(transfer, after: exchange, .failure(failure)) }
    switch exchange.phase {
    case .discarding(let discarding): takeNextStep(discarding.nextStep, after: exchange)
    case .receiving(let body) where code == CURLE_OK: finishBody(body, of: exchange)
    // This is not retried, because the same server would do it again.
    case _ where wasCut:
      finish(transfer, after: exchange, .failure(exchange.uselessBytesError(after: code, detail: detail)))
    default: repeatOrFail(exchange, code, detail)
    }
  }

  /// True when the sink must do something before the step can end; the body then notes that curl has finished.
  private func waitsForSink(_ exchange: CurlExchange) -> Bool {
    switch exchange.phase {
    case .judging(let body):
      body.hasEndedInCurl = true
      return true
    case .receiving(let body):
      body.hasEndedInCurl = body.unpacker?.isHolding == true
      return body.hasEndedInCurl
    default: return false
    }
  }

  private func takeNextStep(_ next: CurlExchange.Discarding.NextStep, after exchange: CurlExchange) {
    let transfer = exchange.transfer
    switch next {
    case .followRedirect(let head): follow(head, after: exchange)
    case .reportNotModified(let head): finish(transfer, after: exchange, .success(.notModified(head)))
    case .startAfresh: startAfresh(transfer, after: exchange)
    case .fail(let error): finish(transfer, after: exchange, .failure(error))
    case .nothing: finish(transfer, after: exchange, .failure(CancellationError()))
    }
  }

  private func finishBody(_ body: IncomingBody, of exchange: CurlExchange) {
    let transfer = exchange.transfer
    if let length = body.joinedLength, transfer.delivery?.byteCount != length {
      return startAfresh(transfer, after: exchange)
    }
    if let error = exchange.error(ofEnded: body) { return finish(transfer, after: exchange, .failure(error)) }
    let metrics = transfer.totals.metrics(redirectCount: exchange.step.redirectCount)
    finish(transfer, after: exchange, .success(.body(metrics)))
  }

  private func repeatOrFail(_ exchange: CurlExchange, _ code: CURLcode, _ detail: String) {
    let transfer = exchange.transfer
    if exchange.mayRepeatOnNewConnection(after: code) {
      var step = exchange.step
      step.needsNewConnection = true
      return start(step, of: transfer)
    }
    let wasCut = exchange.wasBodyCut(by: code)
    if wasCut, let range = transfer.rangeOfRest(), transfer.resumptionCount < configuration.maximumResumptions {
      transfer.resumptionCount += 1
      var step = TransferStep(transfer.job)
      step.range = range
      return start(step, of: transfer)
    }
    // If the server sends nothing of the rest, it would send nothing in the next load either, so the whole is
    // requested.
    if wasCut, exchange.hasBroughtNothingOfRest, !transfer.hasStartedAfresh {
      return startAfresh(transfer, after: exchange)
    }
    finish(transfer, after: exchange, .failure(exchange.error(after: code, detail: detail)))
  }

  /// Requests the whole body because its rest was not available, at most once in a load.
  private func startAfresh(_ transfer: Transfer, after exchange: CurlExchange) {
    guard !transfer.hasStartedAfresh else {
      return finish(transfer, after: exchange, .failure(exchange.noWholeError))
    }
    transfer.hasStartedAfresh = true
    transfer.partial = nil
    start(TransferStep(transfer.job), of: transfer)
  }

  private func follow(_ head: ResponseHead, after exchange: CurlExchange) {
    let transfer = exchange.transfer
    do {
      let (step, redirect) = try exchange.redirected(by: head)
      guard configuration.mayFollow != nil else { return start(step, of: transfer) }
      transfer.stage = .redirecting(step)
      giveAwayPlace(of: transfer)
      send(.redirect(redirect), to: transfer.job)
    } catch {
      finish(transfer, after: exchange, .failure(error))
    }
  }

  /// Takes a step away from curl.
  private func release(_ exchange: CurlExchange) {
    let handle = exchange.handle
    exchange.transfer.totals.add(handle.easy)
    easel_loop_remove(loop, handle.easy)
    easel_loop_leave(loop, handle.easy)
    exchange.transfer.stage = .idle
    if idleHandles.count < maximumTransfers { idleHandles.append(handle) }
  }

  /// Ends all transfers that curl works on, because curl would never resume them after this error.
  ///
  /// New transfers can start again.
  func failRunningTransfers(_ code: CURLMcode) {
    endFinishedLegs()
    for transfer in Array(transfers.values) where transfer.exchange != nil {
      stop(transfer, .failure(ImageError.loopFailed(code, subject: transfer.subject)))
    }
  }

  /// Ends a transfer at any time.
  func stop(_ transfer: Transfer, _ result: Result<LoadResult, any Error>) {
    let exchange = transfer.exchange
    if let exchange { release(exchange) }
    finish(transfer, after: exchange, result)
  }

  /// Ends a transfer that has no step any more, and reports the result if none was reported; `exchange` is its last
  /// step.
  private func finish(
    _ transfer: Transfer, after exchange: CurlExchange?, _ result: Result<LoadResult, any Error>
  ) {
    leavePlace(of: transfer)
    transfer.stage = .ended
    transfers[ObjectIdentifier(transfer.job)] = nil
    if transfers.isEmpty {
      idleSince = now
      nextCheck = min(nextCheck, now + Self.idleTime)
    }
    // A load that has its result has returned, and its sink must not be used any more.
    guard exchange?.hasReported != true else { return }
    if case .failure = result { transfer.keepBytes(after: exchange?.failure) }
    send(.end(result), to: transfer.job)
  }
}
