/// Lets one of several processes do work that the others wait for.
///
/// The manager asks it inside work that all callers of the process share, after every cache layer has missed, so one
/// process asks once. Waiting for others is a courtesy: work that is done twice is waste and no damage. So an answer is
/// always allowed to be ``FlightKey/Answer/goAhead``, and a coordinator whose engine fails must give that answer soon.
public protocol FlightCoordinator: Sendable {
  /// Claims work, or waits for the process that has claimed it.
  ///
  /// Return at the latest after `limit`, and return `goAhead` then. The task is cancelled when nobody wants the result
  /// any more; a claim that was granted meanwhile must be given up, or must be returned, and the manager gives it up.
  func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer
}

extension ImageEvent {
  /// The result of a claim, as observers are told it.
  public enum ClaimResult: String, Hashable, Sendable, CaseIterable {
    /// This process does the work, and others wait for it.
    case won
    /// Another process had done the work.
    case handedOver
    /// Another process had found that there is no such picture.
    case failed
    /// This process does the work without a claim, because it has waited long enough or because nobody could be asked.
    case goAhead
    /// The coordinator did not answer in time, so this process does the work without a claim.
    case unanswered
  }
}

/// The right to do some work while other processes wait for it.
///
/// The coordinator keeps the claim alive until it ends. If its process dies, another one gets the claim soon.
public protocol FlightClaim: Sendable {
  /// Ends the claim; the manager calls it exactly once.
  ///
  /// A claim that somebody else has got meanwhile, because this process was thought dead, has no effect any more.
  func end(_ outcome: FlightKey.Result) async
}

extension ImageError {
  /// True when the picture itself is to blame.
  ///
  /// It does not exist, it has an unsupported format, or its bytes are damaged. A load on another machine would fail in
  /// the same way.
  public var isAboutPicture: Bool {
    guard !isTemporary else { return false }
    return switch code {
    case .badImageData, .unsupportedFormat: true
    case .badStatus: status == 404 || status == 410
    default: false
    }
  }
}
