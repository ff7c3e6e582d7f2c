import EaselCore
import EaselPixels

/// An estimate of how much looks a picture loses at a quality, before it is encoded.
package struct LossEstimate: Sendable {
  package init() {}

  /// The part of the score that is missing to 100, divided by that of a usual picture at the same quality.
  package func expected(of picture: Bitmap, work: WorkContext) throws(ImageError) -> Double { 1 }
}
