import EaselCore

extension ImageFormat {
  /// The Portable Document Format, whose pages the helper `easel-pdf` draws.
  package static let pdf = ImageFormat(mimeType: "application/pdf")
}
