/// The limits and deadlines of a listener.
package struct ListenerSettings: Hashable, Sendable {
  /// The most bytes of a request's head.
  package var headBytes = 16_384
  /// The time in which a whole head must have arrived.
  package var headTime = Duration.seconds(5)
  /// The time for which a connection may wait for the next head.
  package var idleTime = Duration.seconds(60)
  /// The time for which sending may make no progress.
  package var sendTime = Duration.seconds(10)
  /// The most connections at a time.
  package var connections = 8192
  /// The most connections of one address at a time; nil for no limit.
  package var connectionsPerAddress: Int?
  /// The number of threads that accept and serve connections.
  package var threads = 1

  package init() {}
}
