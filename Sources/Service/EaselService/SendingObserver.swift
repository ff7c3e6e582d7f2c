/// Something that is told how long answers take to be sent, which only a listener knows.
package protocol SendingObserver: Sendable {
  /// Notes an answer that begins to be sent; ``endSending(after:)`` follows.
  func beginSending()

  /// Notes that an answer is sent or given up, after this time.
  func endSending(after duration: Duration)
}

extension ServiceMetrics: SendingObserver {
  package func beginSending() { enter(.send) }

  package func endSending(after duration: Duration) {
    leave(.send)
    record(duration, in: .send)
  }
}
