import EaselCore
import EaselSupport
import FoundationEssentials

/// Tells the observer of one load about its events, in order and one at a time.
final class LoadReporter: Sendable {
  private let number: UInt64
  private let key: CacheKey
  private let url: URL?
  private let clock: any ImageClock
  private let began: Date
  private let delivery: SerialDelivery<ImageEvent>

  /// Returns nil if the load has no observer.
  init?(_ request: ResolvedRequest, of number: UInt64, clock: any ImageClock) {
    guard let observer = request.observer else { return nil }
    self.number = number
    self.clock = clock
    key = request.resultKey
    url = request.bytesAtHand == nil ? Self.shown(request.url) : nil
    began = clock.date
    delivery = SerialDelivery { observer.observe($0) }
  }

  /// Adds an event for later delivery, so that a caller may hold a lock.
  func post(_ kind: ImageEvent.Kind, in run: RunID?, began: Date?) {
    delivery.post(
      ImageEvent(
        kind, load: number, key: key, run: run?.number, isJoined: run.map { $0.turn != number } ?? false, url: url,
        began: began ?? beginning(of: kind)))
  }

  /// Delivers all posted events, unless another thread is delivering them.
  func deliver() { delivery.deliver() }

  /// Delivers all posted events, or waits until another thread has delivered them.
  func deliverAll() async { await delivery.deliverAll() }

  private func beginning(of kind: ImageEvent.Kind) -> Date {
    switch kind {
    case .started, .succeeded, .failed: began
    default: kind.beginning(before: clock.date)
    }
  }

  /// The URL without a user name and a password.
  private static func shown(_ url: URL) -> URL? {
    let text = url.absoluteString
    // The text of a `data:` URL is a picture, and may be long.
    guard url.scheme != "data", text.utf8.contains(UInt8(ascii: "@")) else { return url }
    return URL(string: ShownURL.text(text))
  }
}
