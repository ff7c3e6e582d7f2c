/// Chooses one of several processes to do work, while the others wait for the result.
///
/// The manager asks after every cache layer has missed, and inside work that all callers in the process share, so that
/// one process asks once. Waiting is optional: if two processes do the same work, it is wasted but does no harm. The
/// answer ``FlightKey/Answer/goAhead`` is therefore always allowed, and a coordinator whose engine fails must give that
/// answer soon.
public protocol FlightCoordinator: Sendable {
  /// Claims work, or waits for the process that has claimed it.
  ///
  /// Return `goAhead` after `limit` at the latest. The task is cancelled when nobody wants the result any more. If the
  /// claim was granted before the task noticed, the coordinator gives the claim up, or returns it for the manager to
  /// give up.
  func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer
}

extension ImageEvent {
  /// The result of a claim, as observers see it.
  public enum ClaimResult: String, Hashable, Sendable, CaseIterable {
    /// This process does the work, and others wait for it.
    case won
    /// Another process had done the work.
    case handedOver
    /// Another process had found that there is no such picture.
    case failed
    /// This process does the work without a claim, because it waited long enough or could not ask.
    case goAhead
    /// The coordinator did not answer in time, so this process does the work without a claim.
    case unanswered
  }
}

/// The right to do some work, while other processes wait for it.
///
/// The coordinator keeps the claim alive until the claim ends. If this process dies, another process soon gets the
/// claim.
public protocol FlightClaim: Sendable {
  /// Ends the claim; the manager calls it exactly once.
  ///
  /// It has no effect if another process has the claim by then, because this one seemed dead.
  func end(_ outcome: FlightKey.Result) async
}

extension ImageError {
  /// True when the picture itself causes the error.
  ///
  /// The picture does not exist, has an unsupported format, or has damaged bytes. A load on another machine would fail
  /// in the same way.
  public var isAboutPicture: Bool {
    guard !isTemporary else { return false }
    return switch code {
    case .badImageData, .unsupportedFormat: true
    case .badStatus: status == 404 || status == 410
    default: false
    }
  }
}
