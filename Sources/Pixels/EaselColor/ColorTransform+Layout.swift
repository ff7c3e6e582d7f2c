import CEaselColor
import EaselCore

extension ColorTransform {
  /// The order and width of the components that a colour transform reads or writes.
  ///
  /// It has more cases than ``EaselCore/PixelFormat/Layout``, for pixels from decoders before they become a bitmap.
  public enum Layout: Hashable, Sendable, CaseIterable {
    /// One byte of grey.
    case gray8
    /// Three bytes: red, green, blue.
    case rgb8
    /// Four bytes: red, green, blue, alpha.
    case rgba8
    /// Four bytes: blue, green, red, alpha.
    case bgra8
    /// Four bytes: cyan, magenta, yellow, black; 255 is full ink.
    case cmyk8
    /// Four bytes: cyan, magenta, yellow, black; 255 is no ink, as Adobe writes them into JPEG.
    case invertedCMYK8
    /// A 16-bit word of grey.
    case gray16
    /// Three 16-bit words: red, green, blue.
    case rgb16
    /// Four 16-bit words: red, green, blue, alpha.
    case rgba16

    /// Creates the layout of a bitmap's pixels.
    public init(_ layout: PixelFormat.Layout) {
      switch layout {
      case .gray8: self = .gray8
      case .rgba8: self = .rgba8
      case .bgra8: self = .bgra8
      case .rgba16: self = .rgba16
      }
    }

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
      switch self {
      case .gray8: 1
      case .gray16: 2
      case .rgb8: 3
      case .rgba8, .bgra8, .cmyk8, .invertedCMYK8: 4
      case .rgb16: 6
      case .rgba16: 8
      }
    }

    /// The name of the colour space in error messages.
    var spaceName: String {
      switch self {
      case .gray8, .gray16: "grey"
      case .cmyk8, .invertedCMYK8: "CMYK"
      case .rgb8, .rgba8, .bgra8, .rgb16, .rgba16: "RGB"
      }
    }

    var foreign: easel_color_layout {
      switch self {
      case .gray8: EASEL_COLOR_GRAY8
      case .rgb8: EASEL_COLOR_RGB8
      case .rgba8: EASEL_COLOR_RGBA8
      case .bgra8: EASEL_COLOR_BGRA8
      case .cmyk8: EASEL_COLOR_CMYK8
      case .invertedCMYK8: EASEL_COLOR_INVERTED_CMYK8
      case .gray16: EASEL_COLOR_GRAY16
      case .rgb16: EASEL_COLOR_RGB16
      case .rgba16: EASEL_COLOR_RGBA16
      }
    }
  }
}
