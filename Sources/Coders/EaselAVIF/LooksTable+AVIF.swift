import EaselCoding

extension LooksTable {
  /// The qualities of AVIF that look like those of a JPEG.
  static let avif = LooksTable(
    percents: [
      0, 14.2, 19, 23.8, 28.2, 32.8, 37.9, 44.1, 46.4, 48.9, 51.7, 54.6, 57, 59.3, 63.1, 68.9,
      75.3, 81.9, 89, 96.4, 100,
    ])
}
