/// The layout of the bytes of a bitmap and the meaning of its alpha.
///
/// ```swift
/// let format = PixelFormat(.rgba8, alpha: .premultiplied)
/// let canvas = try Bitmap(size: PixelSize(width: 64, height: 64), format: format)
/// ```
public struct PixelFormat: Hashable, Sendable {
  /// The order and width of the components.
  public enum Layout: UInt8, Hashable, Sendable, CaseIterable {
    /// One byte of grey.
    case gray8
    /// Four bytes: red, green, blue, alpha.
    case rgba8
    /// Four bytes: blue, green, red, alpha.
    case bgra8
    /// Four 16-bit words in the machine's byte order: red, green, blue, alpha.
    case rgba16

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
      switch self {
      case .gray8: 1
      case .rgba8, .bgra8: 4
      case .rgba16: 8
      }
    }

    /// The number of bits per component.
    public var bitsPerComponent: Int { self == .rgba16 ? 16 : 8 }
  }

  /// The meaning of the alpha component.
  public enum Alpha: UInt8, Hashable, Sendable, CaseIterable {
    /// Every pixel is opaque, and an alpha component has its highest value.
    case opaque
    /// Colours are not multiplied by alpha.
    case straight
    /// Colours are multiplied by alpha.
    case premultiplied
  }

  /// The order and width of the components.
  public let layout: Layout
  /// The meaning of the alpha component.
  public let alpha: Alpha

  /// Combines the order of components with the meaning of alpha.
  ///
  /// Grey has no alpha and is always opaque.
  public init(_ layout: Layout, alpha: Alpha) {
    self.layout = layout
    self.alpha = layout == .gray8 ? .opaque : alpha
  }

  /// The number of bytes per pixel.
  public var bytesPerPixel: Int { layout.bytesPerPixel }

  /// Grey, 8 bits, opaque.
  public static let gray8 = PixelFormat(.gray8, alpha: .opaque)
  /// RGBA, 8 bits, straight alpha: the default output of coders.
  public static let rgba8 = PixelFormat(.rgba8, alpha: .straight)
  /// RGBA, 8 bits, opaque.
  public static let opaqueRGBA8 = PixelFormat(.rgba8, alpha: .opaque)
  /// RGBA, 16 bits, straight alpha.
  public static let rgba16 = PixelFormat(.rgba16, alpha: .straight)
}
