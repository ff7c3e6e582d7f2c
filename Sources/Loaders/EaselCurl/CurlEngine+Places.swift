import EaselCore

/// Limits how many transfers run. A transfer that waits for its sink has no place, because its sink may wait for
/// another transfer.
extension CurlEngine {
  /// True when another transfer may start.
  var hasPlace: Bool {
    // Short pauses are limited too, so that slow sinks do not let the whole queue connect at once.
    runningCount < maximumTransfers && runningCount + shortPauseCount < maximumTransfers * 8
  }

  /// The longest pause that counts as short; after a longer one, the sink probably waits for another transfer.
  static let shortPause: Int64 = 1000

  /// Lets another transfer run while this one waits for its sink, which may itself wait for that transfer.
  func giveAwayPlace(of transfer: Transfer) {
    guard case .running = transfer.place else { return }
    transfer.place = .pausedShortly(since: now)
    shortPauseCount += 1
    runningCount -= 1
    queue.notePause(of: transfer)
    nextCheck = min(nextCheck, now + Self.shortPause)
  }

  /// Counts a transfer as running again, even if that exceeds the limit.
  func takePlace(for transfer: Transfer) {
    if let exchange = transfer.exchange {
      exchange.lastActivity = now
      exchange.rate.restart(at: now, bytes: exchange.handle.bytes)
    }
    endShortPause(of: transfer)
    guard case .paused = transfer.place else { return }
    transfer.place = .running
    runningCount += 1
    queue.noteResumption(of: transfer)
  }

  /// Stops counting a short pause, because it has become long or has ended.
  func endShortPause(of transfer: Transfer) {
    guard case .pausedShortly = transfer.place else { return }
    transfer.place = .paused
    shortPauseCount -= 1
  }

  /// Gives up the place of a transfer that is over or will not start.
  func leavePlace(of transfer: Transfer) {
    endShortPause(of: transfer)
    switch transfer.place {
    case .queued: queue.remove(transfer)
    case .running:
      runningCount -= 1
      queue.noteEnd(of: transfer)
    case .pausedShortly, .paused:
      queue.noteResumption(of: transfer)
      queue.noteEnd(of: transfer)
    }
  }
}
