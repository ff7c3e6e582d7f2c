import CEaselCurl
import EaselCore

/// Deadlines of transfers: idle time, total time, lowest rate.
extension CurlEngine {
  /// Schedules the next check early enough for the deadline of a transfer.
  func noteDeadline(of transfer: Transfer) { nextCheck = min(nextCheck, deadline(of: transfer)) }

  private func deadline(of transfer: Transfer) -> Int64 {
    var deadline = Int64.max
    if case .pausedShortly(let start) = transfer.place { deadline = start + Self.shortPause }
    if let totalTimeout, let start = transfer.startTime { deadline = min(deadline, start + totalTimeout) }
    guard let exchange = transfer.exchange, !exchange.isPaused else { return deadline }
    if case .discarding(let discarding) = exchange.phase {
      // Unwanted bytes are read only to keep the connection, so the time for that is short.
      return min(deadline, discarding.start + (exchange.hasReported ? 1000 : 200))
    }
    if leastBytes != nil { deadline = min(deadline, exchange.rate.end(after: ratePeriod)) }
    return min(deadline, silenceEnd(of: exchange))
  }

  private func silenceEnd(of exchange: CurlExchange) -> Int64 {
    max(exchange.lastActivity, exchange.handle.activity) + idleTimeout
  }

  /// Ends the transfers whose deadline has passed.
  ///
  /// Activity only moves deadlines to later times, so a check at the earliest deadline is never too late.
  func checkDeadlines() {
    nextCheck = .max
    if transfers.isEmpty { giveBackMemory() }
    for transfer in Array(transfers.values) where transfer.startTime != nil {
      if let exchange = transfer.exchange { noteConnection(of: exchange) }
      if deadline(of: transfer) <= now { handlePassedDeadline(of: transfer) }
      if !transfer.hasEnded { noteDeadline(of: transfer) }
    }
  }

  private func handlePassedDeadline(of transfer: Transfer) {
    if let totalTimeout, let start = transfer.startTime, start + totalTimeout <= now {
      let error = ImageError.tookTooLong(limit: configuration.totalTimeout!, subject: transfer.subject)
      return stop(transfer, .failure(error))
    }
    if case .pausedShortly(let start) = transfer.place, start + Self.shortPause <= now { endShortPause(of: transfer) }
    guard let exchange = transfer.exchange, !exchange.isPaused else { return }
    if case .discarding = exchange.phase { return end(exchange, CURLE_OPERATION_TIMEDOUT) }
    if silenceEnd(of: exchange) <= now { return stop(transfer, .failure(exchange.silenceError())) }
    let (handle, period) = (exchange.handle, ratePeriod)
    guard let leastBytes, exchange.rate.end(after: period) <= now,
      let bytes = exchange.rate.next(after: period, at: now, bytes: handle.bytes, beginning: handle.beginning),
      bytes < leastBytes
    else { return }
    stop(transfer, .failure(exchange.slownessError(bytes: bytes)))
  }

  /// Gives memory back to the system after some time without loads.
  private func giveBackMemory() {
    guard now - idleSince >= Self.idleTime else { return nextCheck = idleSince + Self.idleTime }
    easel_curl_give_back_memory()
  }

  /// The time for which `BufferPool` also keeps idle buffers.
  static let idleTime: Int64 = 5000

  /// Starts to count silence only when the server is connected; curl itself limits the time to connect.
  private func noteConnection(of exchange: CurlExchange) {
    guard case .awaitingHead = exchange.phase else { return }
    let connected = easel_easy_size(exchange.handle.easy, CURLINFO_PRETRANSFER_TIME_T)
    exchange.lastActivity = connected == 0 ? now : max(exchange.lastActivity, exchange.start + connected / 1000)
  }
}
