import EaselCore

/// A body that is still arriving.
package struct ArrivingBody: Sendable {
  /// The bytes that have arrived.
  package let received: ReceivedBytes
  /// The number of the attempt that the bytes belong to.
  ///
  /// Everything made from the bytes of an earlier epoch is invalid.
  package let epoch: Int
  /// The head that came before the body.
  package let head: ResponseHead?

  package init(received: ReceivedBytes, epoch: Int, head: ResponseHead?) {
    (self.received, self.epoch, self.head) = (received, epoch, head)
  }
}
