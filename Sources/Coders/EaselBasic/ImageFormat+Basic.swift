import EaselCore

extension ImageFormat {
  /// The Quite OK Image format.
  public static let qoi = ImageFormat(mimeType: "image/qoi")
}
