import EaselCore

extension ImageFormat {
  /// JPEG 2000 in its usual file format (JP2), whose boxes state the colours.
  public static let jp2 = ImageFormat(mimeType: "image/jp2")
  /// A bare codestream of JPEG 2000, without the boxes of a file.
  public static let j2c = ImageFormat(mimeType: "image/j2c")
}
