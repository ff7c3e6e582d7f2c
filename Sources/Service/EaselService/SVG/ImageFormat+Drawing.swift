import EaselCore

extension ImageFormat {
  /// SVG, whose coder this module does not know.
  static let drawing = ImageFormat(mimeType: "image/svg+xml")
}
