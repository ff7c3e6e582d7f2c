import EaselCore

extension ImageFormat {
  /// The Quite OK Image format.
  public static let qoi = ImageFormat(mimeType: "image/qoi")
  /// Portable anymap: PBM, PGM, PPM and PAM.
  public static let pnm = ImageFormat(mimeType: "image/x-portable-anymap")
  /// Windows bitmap.
  public static let bmp = ImageFormat(mimeType: "image/bmp")
  /// Icons and cursors of Windows.
  public static let ico = ImageFormat(mimeType: "image/vnd.microsoft.icon")
  /// Radiance HDR, whose light has no upper limit.
  public static let radiance = ImageFormat(mimeType: "image/vnd.radiance")
}
