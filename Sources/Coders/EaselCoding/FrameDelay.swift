/// Computes the time for which frames are shown.
package enum FrameDelay {
  /// The delay that players use instead of a stored delay.
  ///
  /// A delay under 11 milliseconds means "as fast as possible", and every viewer uses 100 milliseconds for it.
  package static func effective(_ stored: Duration) -> Duration {
    stored < .milliseconds(11) ? .milliseconds(100) : stored
  }
}
