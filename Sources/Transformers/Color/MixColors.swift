import EaselCore
import EaselPixels

/// Mixes the components of a picture anew, as a matrix says.
public struct MixColors: ColorStep {
  /// The matrix.
  public let matrix: ColorMatrix

  /// Creates it.
  public init(_ matrix: ColorMatrix) { self.matrix = matrix }

  /// `ColorMatrix(` twenty numbers, row by row `)`.
  public var cacheKey: String {
    "ColorMatrix(\(matrix.rows.flatMap { $0 }.map(KeyText.number).joined(separator: ",")))"
  }

  func checkParameters() throws(ImageError) {
    try require(matrix.rows.allSatisfy { $0.allSatisfy(\.isFinite) }, "every number of the matrix must be finite")
  }
}
