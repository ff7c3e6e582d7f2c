import EaselCoding

extension LooksTable {
  /// The qualities of libjxl's own program that look like those of a JPEG.
  static let jxl = LooksTable(
    percents: [
      0, 0.5, 1, 1.5, 8.1, 15.6, 23.7, 33.9, 40.5, 46.7, 52.3, 57.8, 62.3, 66.5, 70.6, 75.6, 80.4,
      85, 89.5, 93.3, 100,
    ])
}
