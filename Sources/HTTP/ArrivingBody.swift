import EaselCore

/// A body that is arriving.
package struct ArrivingBody: Sendable {
  /// The bytes that have arrived.
  package let received: ReceivedBytes
  /// The attempt that the bytes belong to.
  ///
  /// Anything made from the bytes of an earlier epoch is invalid.
  package let epoch: Int
  /// The head that came before the body.
  package let head: ResponseHead?

  package init(received: ReceivedBytes, epoch: Int, head: ResponseHead?) {
    (self.received, self.epoch, self.head) = (received, epoch, head)
  }
}
