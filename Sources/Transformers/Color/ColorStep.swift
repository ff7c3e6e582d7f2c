import EaselCore
import EaselPixels

/// A transformer that mixes the components of each pixel on its own.
protocol ColorStep: PlannableTransformer, BitmapTransformer {
  var matrix: ColorMatrix { get }
}

extension ColorStep {
  /// Another colour step shares the pass over the pixels.
  public func merged(with next: any Transformer) -> (any Transformer)? {
    ColorChain(self).merged(with: next)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.applying(matrix, work: work)
  }
}
