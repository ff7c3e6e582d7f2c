import EaselCore
import EaselPixels
import Glibc

/// An estimate of how much looks a picture loses at a quality, before it is encoded.
///
/// The weights were fitted by least squares to what photographs lost. They differ by format, because each encoder loses
/// another kind of detail first.
package struct LossEstimate: Sendable {
  private let constant: Double
  /// The weight of edges within blocks, around which encoders leave ripples.
  private let edges: Double
  /// The weight of what is left of gradients at half the size: coarse structure hides less.
  private let coarseness: Double

  /// Creates an estimate of the logarithm to the base of two.
  package init(constant: Double, edges: Double, coarseness: Double) {
    (self.constant, self.edges, self.coarseness) = (constant, edges, coarseness)
  }

  /// The estimate that every picture is usual.
  package static let none = LossEstimate(constant: 0, edges: 0, coarseness: 0)

  /// The part of the score that is missing to 100, divided by that of a usual picture at the same quality.
  package func expected(of picture: Bitmap, work: WorkContext) throws(ImageError) -> Double {
    guard edges != 0 || coarseness != 0, let detail = try picture.detail(work: work) else { return 1 }
    let logarithm = constant + edges * detail.edges + coarseness * detail.coarseness
    // Drawings have details that no photograph has.
    return exp2(min(1, max(-1, logarithm)))
  }
}

extension PictureDetail {
  // The other values did not make the estimate better.
  fileprivate var edges: Double { values[6] }
  fileprivate var coarseness: Double { values[7] }
}
