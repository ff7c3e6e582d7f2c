import Easel

extension TransformerPipeline.Gravity {
  /// The points of the compass, by their names in options.
  static let named: [(name: String, gravity: TransformerPipeline.Gravity)] = [
    ("center", .center), ("smart", .smart), ("north", .north), ("north-east", .northEast), ("east", .east),
    ("south-east", .southEast),
    ("south", .south), ("south-west", .southWest), ("west", .west), ("north-west", .northWest),
  ]

  /// Reads the name of a point, or `X,Y` for a focal point with both numbers from 0 to 1.
  init?(reading text: String) {
    if let named = Self.named.first(where: { $0.name == text }) {
      self = named.gravity
      return
    }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(plain: String($0)) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], (0...1).contains(x), (0...1).contains(y) else {
      return nil
    }
    self = .focalPoint(x: x, y: y)
  }
}

/// A ratio of width to height, written as `16:9`.
struct Ratio: Sendable {
  let width: Double
  let height: Double

  /// Reads two numbers above 0 with a colon between them.
  init?(reading text: String) {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Double(plain: String($0)) }
    guard numbers.count == 2, let width = numbers[0], let height = numbers[1], width > 0, height > 0,
      (width / height).isNormal
    else { return nil }
    self.width = width
    self.height = height
  }
}
