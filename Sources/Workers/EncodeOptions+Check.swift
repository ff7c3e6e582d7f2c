import EaselCore

extension EncodeOptions {
  /// Throws when a value is invalid.
  package func checkValues() throws(ImageError) {
    guard quality >= 0, quality <= 1 else {
      throw ImageError(.encodeFailed, "The quality must be from 0 to 1, but is \(quality).")
    }
    if let maxFileBytes, maxFileBytes < 1 {
      throw ImageError(.encodeFailed, "The most bytes of a file must be at least 1, but are \(maxFileBytes).")
    }
    if let box = maxPixelSize, box.isEmpty {
      throw ImageError(
        .encodeFailed, "Both sides of EncodeOptions.maxPixelSize must be at least 1, but the box is \(box).")
    }
    guard (0...9).contains(compressionLevel) else {
      throw ImageError(.encodeFailed, "The compression level must be from 0 to 9, but is \(compressionLevel).")
    }
  }
}
