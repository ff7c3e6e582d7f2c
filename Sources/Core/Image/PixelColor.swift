/// A colour in sRGB with straight alpha, 8 bits per component.
///
/// ```swift
/// let orange = PixelColor(red: 255, green: 136, blue: 0)
/// ```
public struct PixelColor: Hashable, Sendable {
  /// The red component.
  public var red: UInt8
  /// The green component.
  public var green: UInt8
  /// The blue component.
  public var blue: UInt8
  /// The alpha component.
  public var alpha: UInt8

  /// Takes four components from 0 to 255, with straight alpha.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Fully transparent.
  public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
}
