import EaselCoding

extension LooksTable {
  /// The scale of looks is that of JPEGs as this coder writes them.
  static let jpeg = LooksTable.identity
}
