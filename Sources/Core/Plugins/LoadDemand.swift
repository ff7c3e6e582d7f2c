/// What a sink wants of its loader next.
public enum LoadDemand: Hashable, Sendable {
  /// Send more.
  case more
  /// Wait until ``LoadSink/whenReady(_:)`` calls back; the bytes just given were taken.
  case pause
  /// End the load; what is wrong will be said by whoever called the loader.
  case stop
}
