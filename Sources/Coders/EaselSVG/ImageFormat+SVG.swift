import EaselCore

extension ImageFormat {
  /// Scalable Vector Graphics, which Easel reads but does not write.
  public static let svg = ImageFormat(mimeType: "image/svg+xml")
}
