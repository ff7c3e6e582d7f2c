/// The time frames are shown.
package enum FrameDelay {
  /// The delay that players use for a stored delay.
  ///
  /// A delay under 11 milliseconds means "as fast as possible", for which every viewer uses 100.
  package static func effective(_ stored: Duration) -> Duration {
    stored < .milliseconds(11) ? .milliseconds(100) : stored
  }
}
