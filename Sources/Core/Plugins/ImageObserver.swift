/// Is told of each event of each load, for metrics and logs.
///
/// It must be quick and is called from whatever thread the event happens on.
public protocol ImageObserver: Sendable {
  /// Takes an event.
  func observe(_ event: ImageEvent)
}
