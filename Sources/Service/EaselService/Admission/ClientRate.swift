/// The rate of requests that one client may send.
package struct ClientRate: Hashable, Sendable {
  /// The requests a second.
  package var perSecond: Double
  /// The requests that it may send at once after a pause.
  package var burst: Int

  package init(perSecond: Double, burst: Int) { (self.perSecond, self.burst) = (perSecond, max(1, burst)) }
}
