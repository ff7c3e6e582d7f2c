/// Limits how many transfers run. One that waits for its sink has no place: its sink may wait for another transfer.
extension Engine {
  /// True when another transfer may start.
  var hasPlace: Bool {
    // Limits short pauses too, so that a slow sink does not let the whole queue connect at once.
    runningCount < maximumTransfers && runningCount + shortPauses < maximumTransfers * 8
  }

  /// The longest wait for a sink that counts as short; after a longer one the sink probably waits for another transfer.
  static let shortPause: Int64 = 1000

  /// Lets another transfer run while this one waits for its sink, which may itself wait for that other transfer.
  func giveAwayPlace(of transfer: Transfer) {
    guard transfer.hasPlace else { return }
    transfer.hasPlace = false
    transfer.shortPauseStart = now
    shortPauses += 1
    runningCount -= 1
    queue.hasPaused(transfer)
    nextCheck = min(nextCheck, now + Self.shortPause)
  }

  /// Counts a transfer as running again, even when that exceeds the limit.
  func takePlace(for transfer: Transfer) {
    transfer.lastActivity = now
    transfer.rate.restart(at: now, bytes: transfer.handle?.bytes ?? 0)
    guard !transfer.hasPlace else { return }
    pauseIsLong(transfer)
    transfer.hasPlace = true
    runningCount += 1
    queue.goesOn(transfer)
  }

  /// Ends the short pause of a transfer: it became long, or it is over.
  func pauseIsLong(_ transfer: Transfer) {
    if transfer.shortPauseStart != nil { shortPauses -= 1 }
    transfer.shortPauseStart = nil
  }

  /// Gives up the place of a transfer that is over or will never start.
  func leavePlace(of transfer: Transfer) {
    pauseIsLong(transfer)
    guard !queue.remove(transfer) else { return }
    if transfer.hasPlace { runningCount -= 1 } else { queue.goesOn(transfer) }
    queue.hasEnded(transfer)
  }
}
