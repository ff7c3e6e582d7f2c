import EaselCore

extension ImageFormat {
  /// JPEG 2000 in the usual file format (JP2), whose boxes state the colours.
  public static let jp2 = ImageFormat(mimeType: "image/jp2")
  /// A codestream of JPEG 2000 without a file around it.
  public static let j2c = ImageFormat(mimeType: "image/j2c")
}
