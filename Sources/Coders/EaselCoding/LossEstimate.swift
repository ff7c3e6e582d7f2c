import EaselCore
import EaselPixels
import Glibc

/// An estimate of how much looks a picture loses at a quality, before it is encoded.
///
/// The weights were fitted by least squares to what photographs lost. They differ by format, because each encoder loses
/// another kind of detail first.
package struct LossEstimate: Sendable {
  /// The constant, and the weights of ``EaselPixels/PictureDetail/values``.
  private let weights: [Double]

  /// Creates an estimate with a constant and a weight for each value of a picture's detail.
  package init(weights: [Double]) { self.weights = weights }

  /// The estimate that every picture is usual.
  package static let none = LossEstimate(weights: [0])

  /// The part of the score that is missing to 100, divided by that of a usual picture at the same quality.
  package func expected(of picture: Bitmap, work: WorkContext) throws(ImageError) -> Double {
    guard weights.count > 1, let detail = try picture.detail(work: work) else { return 1 }
    let logarithm = zip(weights.dropFirst(), detail.values).reduce(weights[0]) { $0 + $1.0 * $1.1 }
    // Drawings have details that no photograph has.
    return exp2(min(1.5, max(-1.5, logarithm)))
  }
}
