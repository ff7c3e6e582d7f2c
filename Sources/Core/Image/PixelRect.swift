/// A rectangle of whole pixels; the origin is the top left corner.
///
/// ```swift
/// let wanted = PixelRect(x: 600, y: 0, width: 100, height: 100)
/// let part = wanted.intersection(PixelRect(covering: bitmap.size))
/// ```
public struct PixelRect: Hashable, Sendable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Takes the top left corner and the sides, in pixels.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Creates the rectangle that covers a picture of the given size.
  public init(covering size: PixelSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

  /// The width and height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// True when the rectangle contains no pixels.
  public var isEmpty: Bool { size.isEmpty }

  /// The area that both rectangles cover; empty when they do not overlap.
  public func intersection(_ other: PixelRect) -> PixelRect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(Self.end(x, width), Self.end(other.x, other.width))
    let bottom = min(Self.end(y, height), Self.end(other.y, other.height))
    guard left < right, top < bottom else { return PixelRect(x: left, y: top, width: 0, height: 0) }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  private static func end(_ start: Int, _ length: Int) -> Int {
    let (sum, overflows) = start.addingReportingOverflow(max(0, length))
    return overflows ? .max : sum
  }
}
