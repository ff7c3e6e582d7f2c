import EaselCore

extension TransformerPipeline {
  /// The widths of a border, in pixels.
  public struct Insets: Hashable, Sendable {
    /// The rows above.
    public var top: Int
    /// The columns on the right.
    public var right: Int
    /// The rows below.
    public var bottom: Int
    /// The columns on the left.
    public var left: Int

    /// Creates insets.
    public init(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }

    /// Creates insets from one to four numbers in the order of CSS.
    ///
    /// One is for all sides. Of two, the first is for top and bottom, the second for right and left. Of three, the second
    /// is for right and left. Four are top, right, bottom and left. Another count, or a negative number, is an error.
    public init(css numbers: [Int]) throws(ImageError) {
      guard (1...4).contains(numbers.count) else {
        throw ImageError(.transformFailed, "A padding has one to four numbers, but \(numbers.count) were given.")
      }
      if let negative = numbers.first(where: { $0 < 0 }) {
        throw ImageError(.transformFailed, "No number of a padding may be negative, but one is \(negative).")
      }
      let right = numbers.count > 1 ? numbers[1] : numbers[0]
      self.init(
        top: numbers[0], right: right, bottom: numbers.count > 2 ? numbers[2] : numbers[0],
        left: numbers.count > 3 ? numbers[3] : right)
    }
  }
}
