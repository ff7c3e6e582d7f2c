/// A function that rises everywhere, given by points with straight lines between them.
package struct RisingCurve: Sendable {
  private let points: [(x: Double, y: Double)]

  /// Creates a curve through points that rise in both directions; outside of them it goes on as a constant.
  package init(_ points: [(x: Double, y: Double)]) {
    precondition(
      points.count > 1 && zip(points, points.dropFirst()).allSatisfy { $0.x < $1.x && $0.y < $1.y },
      "The points of a curve must rise.")
    self.points = points
  }

  /// The value at a place; at a place that is no number it is the least.
  package func value(at x: Double) -> Double { Self.value(at: x, of: points) }

  /// The place at which the curve has a value.
  package func place(of y: Double) -> Double { Self.value(at: y, of: points.map { ($0.y, $0.x) }) }

  private static func value(at x: Double, of points: [(x: Double, y: Double)]) -> Double {
    guard x > points[0].x else { return points[0].y }
    guard let next = points.firstIndex(where: { $0.x >= x }) else { return points[points.count - 1].y }
    let (from, to) = (points[next - 1], points[next])
    return from.y + (to.y - from.y) * (x - from.x) / (to.x - from.x)
  }
}
