/// How long frames are shown.
package enum FrameDelay {
  /// What players make of a stored delay: those under 11 milliseconds are meant as "as fast as it goes", which every
  /// viewer takes for 100.
  package static func effective(_ stored: Duration) -> Duration {
    stored < .milliseconds(11) ? .milliseconds(100) : stored
  }
}
