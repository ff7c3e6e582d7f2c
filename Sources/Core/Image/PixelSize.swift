/// A width and a height in whole pixels.
///
/// ```swift
/// let size = PixelSize(width: 4000, height: 3000)
/// print(size.area, size.transposed)
/// ```
public struct PixelSize: Hashable, Sendable, Codable {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Takes the sides in pixels.
  ///
  /// ```swift
  /// let box = PixelSize(width: 320, height: 240)
  /// let image = try await manager.image(for: url, context: [.thumbnailSize(box)])
  /// ```
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

/// The sizing rules that all coders share.
extension PixelSize {
  /// The size of this picture scaled down to fit `box`, never larger than the picture.
  ///
  /// When the aspect ratio is kept, the picture fits inside `box`: one side is exactly that of the box, and the other
  /// is rounded to the nearest pixel and is at least 1. If a side of `box` is zero or the picture already fits, the
  /// result is the full size. When the aspect ratio is not kept, the result is `box`, but no side is longer than that
  /// of the picture.
  ///
  /// ```swift
  /// let photo = PixelSize(width: 4000, height: 3000)
  /// print(photo.thumbnail(in: PixelSize(width: 320, height: 320)))  // 320x240
  /// ```
  public func thumbnail(in box: PixelSize, preservingAspectRatio: Bool = true) -> PixelSize {
    guard !isEmpty, box.width > 0, box.height > 0 else { return self }
    if width <= box.width && height <= box.height { return self }
    guard preservingAspectRatio else {
      return PixelSize(width: min(width, box.width), height: min(height, box.height))
    }
    let widthLimits = Self.isFraction(box.width, over: width, atMost: box.height, over: height)
    if widthLimits { return PixelSize(width: box.width, height: Self.scaled(height, by: box.width, over: width)) }
    return PixelSize(width: Self.scaled(width, by: box.height, over: height), height: box.height)
  }

  /// The largest size of the same ratio whose pixels, of four bytes each, fit in `bytes`; at least 1 by 1.
  ///
  /// If one side would be less than 1, it becomes 1 and the other side gets the remaining pixels.
  public func scaledDown(toBytes bytes: Int) -> PixelSize {
    guard !isEmpty else { return self }
    let pixels = max(0, bytes) / 4
    if area <= pixels { return self }
    let scaledWidth = Self.squareRoot(ofProduct: width, pixels, over: height)
    let scaledHeight = Self.squareRoot(ofProduct: height, pixels, over: width)
    if scaledHeight < 1 { return PixelSize(width: max(1, pixels), height: 1) }
    if scaledWidth < 1 { return PixelSize(width: 1, height: max(1, pixels)) }
    return PixelSize(width: scaledWidth, height: scaledHeight)
  }

  private static func isFraction(_ a: Int, over b: Int, atMost c: Int, over d: Int) -> Bool {
    let left = a.multipliedFullWidth(by: d)
    let right = c.multipliedFullWidth(by: b)
    return (left.high, left.low) <= (right.high, right.low)
  }

  private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
    let product = side.multipliedFullWidth(by: numerator)
    let (quotient, remainder) = denominator.dividingFullWidth(product)
    return max(1, remainder >= denominator - remainder ? quotient + 1 : quotient)
  }

  /// The square root of `a * b / c`, rounded down; exact even if floating point would not be.
  private static func squareRoot(ofProduct a: Int, _ b: Int, over c: Int) -> Int {
    let product = a.multipliedFullWidth(by: b)
    guard product.high == 0, let word = Int(exactly: product.low) else {
      return wideSquareRoot(of: UInt128(a) * UInt128(b) / UInt128(c))
    }
    let value = word / c
    var root = Int(Double(value).squareRoot())
    while root > 0 && root > value / root { root -= 1 }
    while root + 1 <= value / (root + 1) { root += 1 }
    return root
  }

  /// Computes the root bit by bit.
  ///
  /// Only sizes in hostile files need such large products.
  private static func wideSquareRoot(of value: UInt128) -> Int {
    var root: UInt128 = 0
    for bit in stride(from: 62, through: 0, by: -1) {
      let candidate = root | 1 << UInt128(bit)
      if candidate * candidate <= value { root = candidate }
    }
    return Int(root)
  }
}
