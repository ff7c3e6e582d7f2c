import EaselCoding

extension LooksTable {
  /// The qualities of libwebp that look like those of a JPEG.
  static let webp = LooksTable(percents: [0, 9, 19, 29, 39, 49, 59, 69, 79, 90, 100], loss: .none)
}
