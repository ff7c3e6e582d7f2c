/// Tells when memory is short; one thread waits, another may end the wait.
package protocol PressureSource: Sendable {
  /// Blocks until memory is short, nil once there is nothing more to wait for.
  func next() -> PressureLevel?

  /// Makes ``next()`` return nil, now and from now on.
  func stop()
}
