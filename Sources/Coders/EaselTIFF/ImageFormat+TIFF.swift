import EaselCore

extension ImageFormat {
  /// TIFF, with offsets of 32 or of 64 bits.
  public static let tiff = ImageFormat(mimeType: "image/tiff")
}
