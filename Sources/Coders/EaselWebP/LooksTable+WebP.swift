import EaselCoding

extension LooksTable {
  /// The qualities of libwebp that look like those of a JPEG.
  static let webp = LooksTable(
    percents: [
      0, 0.5, 1, 1.5, 6, 15, 24.6, 36.7, 42.4, 48.2, 55.5, 63.5, 69.2, 74.2, 78.6, 82.2, 86, 90.1,
      94.7, 99.5, 100,
    ])
}
