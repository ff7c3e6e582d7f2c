import EaselCoding

extension LooksTable {
  /// The qualities of AVIF that look like those of a JPEG.
  static let avif = LooksTable(percents: [0, 5, 10, 17, 25, 33, 42, 52, 63, 80, 100], loss: .none)
}
