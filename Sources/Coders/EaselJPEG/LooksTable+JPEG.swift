import EaselCoding

extension LooksTable {
  /// The scale of looks is that of JPEGs as this coder writes them.
  static let jpeg = LooksTable(loss: LossEstimate(constant: -0.107, edges: 0.186, coarseness: -0.673))
}
