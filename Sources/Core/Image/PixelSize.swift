/// A width and a height in whole pixels.
public struct PixelSize: Hashable, Sendable, Codable {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// True when the size contains no pixels.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The number of pixels; `Int.max` when it overflows.
  public var area: Int {
    guard !isEmpty else { return 0 }
    let (product, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? .max : product
  }

  /// The size with width and height swapped.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
  /// The size as `WIDTHxHEIGHT`.
  public var description: String { "\(width)x\(height)" }
}
