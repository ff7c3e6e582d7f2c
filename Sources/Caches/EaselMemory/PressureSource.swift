/// Reports memory shortages.
///
/// One thread waits; any other thread may end the wait.
package protocol PressureSource: Sendable {
  /// Blocks until memory is short; nil when the source has stopped.
  func next() -> PressureLevel?

  /// Makes ``next()`` return nil from now on.
  func stop()
}
