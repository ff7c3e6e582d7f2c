/// How the bytes of a bitmap are laid out and what its alpha means.
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

    /// The bytes that one pixel takes.
    public var bytesPerPixel: Int {
      switch self {
      case .gray8: 1
      case .rgba8, .bgra8: 4
      case .rgba16: 8
      }
    }

    /// The bits of one component.
    public var bitsPerComponent: Int { self == .rgba16 ? 16 : 8 }
  }

  /// What the alpha component means.
  public enum Alpha: UInt8, Hashable, Sendable, CaseIterable {
    /// Every pixel covers fully; an alpha component is at its maximum.
    case opaque
    /// Colours are stored as they are.
    case straight
    /// Colours are stored multiplied by alpha.
    case premultiplied
  }

  /// The order and width of the components.
  public let layout: Layout
  /// What the alpha component means.
  public let alpha: Alpha

  /// Creates a format; grey has no alpha and is always opaque.
  public init(_ layout: Layout, alpha: Alpha) {
    self.layout = layout
    self.alpha = layout == .gray8 ? .opaque : alpha
  }

  /// The bytes that one pixel takes.
  public var bytesPerPixel: Int { layout.bytesPerPixel }

  /// Grey, 8 bits, opaque.
  public static let gray8 = PixelFormat(.gray8, alpha: .opaque)
  /// RGBA, 8 bits, straight alpha: what coders make by default.
  public static let rgba8 = PixelFormat(.rgba8, alpha: .straight)
  /// RGBA, 8 bits, opaque.
  public static let opaqueRGBA8 = PixelFormat(.rgba8, alpha: .opaque)
  /// RGBA, 16 bits, straight alpha.
  public static let rgba16 = PixelFormat(.rgba16, alpha: .straight)
}
