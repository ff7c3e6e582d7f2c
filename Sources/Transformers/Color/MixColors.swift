import EaselCore
import EaselPixels

/// Changes the colours of a picture with a matrix.
struct MixColors: ColorStep {
  /// The matrix applied to each pixel.
  let matrix: Bitmap.ColorMatrix

  init(_ matrix: Bitmap.ColorMatrix) { self.matrix = matrix }

  /// `ColorMatrix(...)` with twenty numbers, row by row.
  var cacheKey: String {
    "ColorMatrix(\(matrix.rows.flatMap { $0 }.map(KeyText.number).joined(separator: ",")))"
  }

  func checkParameters() throws(ImageError) {
    try require(matrix.rows.allSatisfy { $0.allSatisfy(\.isFinite) }, "every number of the matrix must be finite")
  }
}
