import EaselCoding

extension LooksTable {
  /// The qualities of libjxl's own program that look like those of a JPEG.
  static let jxl = LooksTable(percents: [0, 10, 20, 30, 40, 50, 60, 70, 78, 90, 100], loss: .none)
}
