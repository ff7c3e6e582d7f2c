import EaselSupport

/// A format of encoded pictures, named by its MIME type.
///
/// ```swift
/// let flag = ImageFormat(mimeType: "image/x-flag")
/// if image.format == .webp || image.format == flag { print("Not every browser shows it.") }
/// ```
public struct ImageFormat: Hashable, Sendable, Codable {
  /// The MIME type, lower case and without parameters.
  public let mimeType: String

  /// Creates a format from its MIME type and drops parameters after a semicolon.
  public init(mimeType: String) {
    var bare = mimeType.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: Self.isBlank)
    while let last = bare.last, Self.isBlank(last) { bare.removeLast() }
    self.mimeType = HTTPHeaders.folded(String(decoding: bare, as: UTF8.self))
  }

  /// True when both have the same MIME type, compared byte by byte.
  public static func == (left: ImageFormat, right: ImageFormat) -> Bool {
    ByteComparison.isSame(left.mimeType, right.mimeType)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// Portable Network Graphics, still or animated.
  public static let png = ImageFormat(mimeType: "image/png")
  /// JPEG.
  public static let jpeg = ImageFormat(mimeType: "image/jpeg")
  /// Graphics Interchange Format.
  public static let gif = ImageFormat(mimeType: "image/gif")
  /// WebP.
  public static let webp = ImageFormat(mimeType: "image/webp")
  /// AV1 Image File Format, still or animated.
  public static let avif = ImageFormat(mimeType: "image/avif")
  /// JPEG XL, still or animated.
  public static let jxl = ImageFormat(mimeType: "image/jxl")
  /// High Efficiency Image Container, in which many cameras and phones store pictures.
  public static let heic = ImageFormat(mimeType: "image/heic")
}

extension ImageFormat: CustomStringConvertible {
  /// The MIME type.
  public var description: String { mimeType }
}
