import EaselCore
import EaselPixels

/// A transformer that changes each pixel's colour independently of other pixels.
protocol ColorStep: PlannableTransformer, BitmapTransformer {
  var matrix: Bitmap.ColorMatrix { get }
}

extension ColorStep {
  /// Merges with a following colour step, so that both share one pass over the pixels.
  func merged(with next: any Transformer) -> (any Transformer)? {
    ColorChain(self).merged(with: next)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.applying(matrix, work: work)
  }
}
