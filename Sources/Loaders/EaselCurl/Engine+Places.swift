/// The places of transfers that run. One that waits for its sink has none, since the sink may wait for another transfer.
extension Engine {
  /// Whether another one may begin.
  var hasPlace: Bool {
    // A sink that takes its time must not have a whole queue connected at once.
    runningCount < maximumTransfers && runningCount + shortPauses < maximumTransfers * 8
  }

  /// For so long a transfer may wait for its sink without being taken for one that waits for another.
  static let shortPause: Int64 = 1000

  /// Lets another one run while a transfer waits for its sink, which may wait for the other one itself.
  func giveAwayPlace(of transfer: Transfer) {
    guard transfer.hasPlace else { return }
    transfer.hasPlace = false
    transfer.shortPauseStart = now
    shortPauses += 1
    runningCount -= 1
    queue.hasPaused(transfer)
    nextCheck = min(nextCheck, now + Self.shortPause)
  }

  /// Counts a transfer that goes on, even where it is one too many by now.
  func takePlace(for transfer: Transfer) {
    transfer.lastActivity = now
    transfer.rate.restart(at: now, bytes: transfer.handle?.bytes ?? 0)
    guard !transfer.hasPlace else { return }
    pauseIsLong(transfer)
    transfer.hasPlace = true
    runningCount += 1
    queue.goesOn(transfer)
  }

  /// Says that a transfer waits for long, or no more.
  func pauseIsLong(_ transfer: Transfer) {
    if transfer.shortPauseStart != nil { shortPauses -= 1 }
    transfer.shortPauseStart = nil
  }

  /// Says that a transfer is over, or will never begin.
  func leavePlace(of transfer: Transfer) {
    pauseIsLong(transfer)
    guard !queue.remove(transfer) else { return }
    if transfer.hasPlace { runningCount -= 1 } else { queue.goesOn(transfer) }
    queue.hasEnded(transfer)
  }
}
