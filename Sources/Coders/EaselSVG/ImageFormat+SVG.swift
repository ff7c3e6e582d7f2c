import EaselCore

extension ImageFormat {
  /// Scalable Vector Graphics, which is only read.
  public static let svg = ImageFormat(mimeType: "image/svg+xml")
}
