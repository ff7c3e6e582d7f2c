import CEaselCurl

/// How long transfers may take.
extension Engine {
  func deadline(of transfer: Transfer) -> Int64 {
    var deadline = Int64.max
    if let total = totalPatience { deadline = transfer.started + total }
    guard !transfer.isPaused, let handle = transfer.handle else { return deadline }
    let patience = transfer.isAnswered ? Int64(1000) : idlePatience
    return min(deadline, max(transfer.lastActivity, handle.activity) + patience)
  }

  /// Ends what took too long.
  ///
  /// Activity only moves deadlines away, so that looking at the earliest is never too late.
  func checkDeadlines() {
    nextCheck = .max
    if transfers.isEmpty { rest() }
    for transfer in Array(transfers.values) where transfer.started > 0 {
      if transfer.stage == .head, let handle = transfer.handle { notePatience(transfer, handle) }
      let deadline = deadline(of: transfer)
      guard deadline <= now else {
        nextCheck = min(nextCheck, deadline)
        continue
      }
      let isTotal = totalPatience.map { transfer.started + $0 <= now } ?? false
      stop(transfer, .failure(transfer.timeoutError(isTotal: isTotal)))
    }
  }

  /// Gives memory back once nothing was loaded for a while.
  private func rest() {
    guard now - idleSince >= Self.idleTime else { return nextCheck = idleSince + Self.idleTime }
    easel_curl_rest()
  }

  /// As long as the pool of buffers keeps its own.
  static let idleTime: Int64 = 5000

  /// A server can be silent only when it is connected; how long that may take is curl's business.
  private func notePatience(_ transfer: Transfer, _ handle: EasyHandle) {
    let connected = easel_easy_size(handle.easy, CURLINFO_PRETRANSFER_TIME_T)
    transfer.lastActivity = connected == 0 ? now : max(transfer.lastActivity, transfer.legStarted + connected / 1000)
  }
}
