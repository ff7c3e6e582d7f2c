import CEaselCurl

/// Deadlines of transfers: idle time, total time, least rate.
extension Engine {
  func deadline(of transfer: Transfer) -> Int64 {
    var deadline = transfer.shortPauseStart.map { $0 + Self.shortPause } ?? .max
    if let total = totalPatience { deadline = min(deadline, transfer.started + total) }
    guard !transfer.isPaused, let handle = transfer.handle else { return deadline }
    if transfer.stage == .discarding {
      // Unwanted bytes are read only to keep the connection, which is not worth more time.
      return min(deadline, transfer.discardingStart + (transfer.isAnswered ? 1000 : 200))
    }
    if leastBytes != nil { deadline = min(deadline, transfer.rate.end(after: ratePeriod)) }
    return min(deadline, silenceEnd(transfer, handle))
  }

  private func silenceEnd(_ transfer: Transfer, _ handle: EasyHandle) -> Int64 {
    max(transfer.lastActivity, handle.activity) + idlePatience
  }

  /// Ends the transfers whose deadline has passed.
  ///
  /// Activity only moves deadlines later, so a check at the earliest one is never too late.
  func checkDeadlines() {
    nextCheck = .max
    if transfers.isEmpty { rest() }
    for transfer in Array(transfers.values) where transfer.started > 0 {
      if transfer.stage == .head, let handle = transfer.handle { notePatience(transfer, handle) }
      if deadline(of: transfer) <= now { deadlineIsOver(transfer) }
      if transfers[ObjectIdentifier(transfer.job)] != nil { nextCheck = min(nextCheck, deadline(of: transfer)) }
    }
  }

  private func deadlineIsOver(_ transfer: Transfer) {
    if let total = totalPatience, transfer.started + total <= now {
      return stop(transfer, .failure(transfer.timeoutError(isTotal: true)))
    }
    if let start = transfer.shortPauseStart, start + Self.shortPause <= now { pauseIsLong(transfer) }
    guard !transfer.isPaused, let handle = transfer.handle else { return }
    if transfer.stage == .discarding { return end(transfer, CURLE_OPERATION_TIMEDOUT) }
    if silenceEnd(transfer, handle) <= now {
      return stop(transfer, .failure(transfer.timeoutError(isTotal: false)))
    }
    guard let leastBytes, transfer.rate.end(after: ratePeriod) <= now,
      let came = transfer.rate.next(at: now, bytes: handle.bytes), came < leastBytes
    else { return }
    stop(transfer, .failure(transfer.tooSlowError(came)))
  }

  /// Gives memory back to the system after some time without loads.
  private func rest() {
    guard now - idleSince >= Self.idleTime else { return nextCheck = idleSince + Self.idleTime }
    easel_curl_rest()
  }

  /// As long as `BufferPool` keeps idle buffers.
  static let idleTime: Int64 = 5000

  /// Counts silence only from when the server is connected; curl itself limits the time to connect.
  private func notePatience(_ transfer: Transfer, _ handle: EasyHandle) {
    let connected = easel_easy_size(handle.easy, CURLINFO_PRETRANSFER_TIME_T)
    transfer.lastActivity = connected == 0 ? now : max(transfer.lastActivity, transfer.legStarted + connected / 1000)
  }
}
